import * as ledger from '#domain/ledger'
import * as tax from '#domain/tax'
import type { World } from '#flows/world'
import { type ActorOf, audit } from '#platform/audit'
import type { Db } from '#platform/db'
import { mintId } from '#platform/ids'

/** A state's month to file, and the state's confirmation. */
export interface Filing {
  state: string
  month: string
  filing_reference: string
}

/** The outcome of filing; a month that is not over, or waits for an earlier one, stays as it is. */
export type FiledMonth =
  | { outcome: 'filed'; remittance: tax.Remittance }
  | { outcome: 'already_filed' | 'open' | 'waiting' | 'nothing_collected' }

/** The tax owed to each state for each month that is not filed, according to the books. */
export async function taxOwed(
  { db, clock }: Pick<World, 'db' | 'clock'>,
  of: { state?: string } = {},
): Promise<tax.Liability[]> {
  return (await liabilitiesIn(db, clock.now(), of)).filter(({ status }) => status !== 'filed')
}

/** The tax of each state's months in a range, filed or not, and what is owed for other months. */
export async function taxOfMonths(
  { db, clock }: Pick<World, 'db' | 'clock'>,
  months: tax.MonthRange,
): Promise<{ listed: tax.Liability[]; owed: tax.Liability[] }> {
  const found = await liabilitiesIn(db, clock.now(), { months })
  const { first, last } = months
  const isListed = ({ month }: tax.Liability) => first <= month && month <= last
  return {
    listed: found.filter(isListed),
    owed: found.filter((each) => !isListed(each) && each.status !== 'filed'),
  }
}

/** Files a state's month and pays what is owed for it, once. */
export async function fileMonth(
  { db, clock, random }: World,
  actor: ActorOf<'staff'>,
  filing: Filing,
): Promise<FiledMonth> {
  const now = clock.now()
  const { state, month, filing_reference } = filing
  return await db.tx(async (tx) => {
    await tax.lockState(tx, state)
    const months = { first: month, last: month }
    const found = await liabilitiesIn(tx, now, { state, months })
    const owed = found.find((each) => each.month === month)
    if (!owed) return { outcome: 'nothing_collected' }
    if (owed.status === 'filed') return { outcome: 'already_filed' }
    if (owed.status !== 'due') return { outcome: owed.status }
    const { collected, carried, amount } = owed
    const id = mintId(random, 'rem')
    const filed = { filing_reference, filed_by: actor.user_id, filed_at: now }
    const remittance = { id, state, month, collected, carried, amount, ...filed }
    await tax.addRemittance(tx, remittance)
    const posting = ledger.remittance({ remittance_id: id, state, amount })
    await ledger.post(tx, now, mintId(random, 'txn'), posting)
    await audit(tx, now, {
      actor,
      action: 'tax.filed',
      subject: id,
      detail: { state, month, amount, filing_reference },
    })
    return { outcome: 'filed', remittance }
  })
}

/**
 * Corrects the confirmation of a filed month, such as with the state's own number after a batch.
 * The former one stays in the audit log.
 */
export async function correctFiling(
  { db, clock }: World,
  actor: ActorOf<'staff'>,
  filing: Filing,
): Promise<'corrected' | 'unchanged' | 'not_filed'> {
  const { state, month, filing_reference } = filing
  return await db.tx(async (tx) => {
    const corrected = await tax.correctReference(tx, filing)
    if (!corrected) return 'not_filed'
    const { id, former } = corrected
    if (former === filing_reference) return 'unchanged'
    await audit(tx, clock.now(), {
      actor,
      action: 'tax.filing_corrected',
      subject: id,
      detail: { state, month, former_reference: former, filing_reference },
    })
    return 'corrected'
  })
}

/** Reports the progress of filing a month. */
export type ReportFiling = (progress: {
  done: number
  total: number
  state: string
}) => Promise<void>

/**
 * Files every state of a month that can be filed, each under the batch's reference and the state's
 * own name. A run that stopped half-way is repeated: what was filed stays. Returns the number
 * filed.
 */
export async function fileWholeMonth(
  world: World,
  actor: ActorOf<'staff'>,
  { month, batch_reference }: { month: string; batch_reference: string },
  report: ReportFiling = async () => {},
): Promise<number> {
  const owed = await taxOwed(world)
  const due = owed.filter((each) => each.month === month && each.status === 'due')
  let filed = 0
  for (const [done, { state }] of due.entries()) {
    await report({ done, total: due.length, state })
    const filing = { state, month, filing_reference: `${batch_reference}-${state}` }
    if ((await fileMonth(world, actor, filing)).outcome === 'filed') filed++
  }
  return filed
}

async function liabilitiesIn(
  db: Db,
  now: Date,
  of: { state?: string; months?: tax.MonthRange },
): Promise<tax.Liability[]> {
  const months = await tax.taxByMonth(db, of)
  const filed = months.flatMap(({ carried, ...each }) =>
    carried === null ? [] : [{ ...each, carried }],
  )
  return tax.liabilitiesOf(now, months, filed)
}
