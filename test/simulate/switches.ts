import type { AppId, DiscountId, PayeeId, PriceId, SellerId, UserId } from '#platform/ids'
import { type Sql, sql } from '#platform/sql'
import type { Fixture } from './fixture.ts'
import { type ChangeAnswer, recordChange, valuesDuring } from './recorded-change.ts'

/** What decides whether something is for sale, paid out, or opened; off if it is not. */
export type SwitchName =
  | `published ${AppId}`
  | `approved ${AppId}`
  | `allowed ${AppId}`
  | `prices ${AppId}`
  | `price ${PriceId}`
  | `code ${DiscountId}`
  | `active ${SellerId}`
  | `payouts ${PayeeId}`
  | `open ${UserId}`

/** A period in which a switch is off: nothing of it may be recorded. */
export interface OffPeriod {
  /** The switch whose turning on ends it. */
  name: SwitchName
  what: string
  /** Finds the ids of what was recorded until now. */
  recorded: Sql
  before: ReadonlySet<string>
  /** What was recorded when it was about to end; undefined while it has not. */
  after?: readonly string[]
}

/** The periods in which switches were off, by the answers to those who turned them. */
export class OffPeriods {
  readonly all: OffPeriod[] = []
  readonly #asked = new Map<SwitchName, number>()
  readonly #pending = new Map<SwitchName, number>()

  /** A number that changes when a switch is asked to turn on; undefined while that is pending. */
  seen(name: SwitchName): number | undefined {
    return this.#pending.get(name) ? undefined : (this.#asked.get(name) ?? 0)
  }

  /** Ends the periods of a switch before it is asked to turn on. */
  async turnOn<Result>(
    fixture: Fixture,
    name: SwitchName,
    ask: () => Promise<Result>,
  ): Promise<Result> {
    const pending = () => this.#pending.get(name) ?? 0
    this.#asked.set(name, (this.#asked.get(name) ?? 0) + 1)
    this.#pending.set(name, pending() + 1)
    try {
      for (const period of this.all) {
        if (period.name !== name || period.after) continue
        period.after = await idsOf(fixture, period.recorded)
      }
      return await ask()
    } finally {
      this.#pending.set(name, pending() - 1)
    }
  }

  /** Begins a period after its answer arrived, unless the switch may have turned on since `seen`. */
  async begin(
    fixture: Fixture,
    period: Pick<OffPeriod, 'name' | 'what' | 'recorded'>,
    seen: number | undefined,
  ): Promise<void> {
    const before = new Set(await idsOf(fixture, period.recorded))
    if (seen === undefined || this.seen(period.name) !== seen) return
    this.all.push({ ...period, before })
  }
}

/** The ids that a statement finds. */
export async function idsOf({ harness }: Fixture, statement: Sql): Promise<string[]> {
  return (await harness.db.rows<{ id: string }>(statement)).map(({ id }) => id)
}

/** Turns a switch, and records the answer. */
export async function setSwitch(
  fixture: Fixture,
  { name, to, recorded }: { name: SwitchName; to: boolean; recorded: Sql },
  ask: () => Promise<ChangeAnswer>,
): Promise<string> {
  const { harness, record } = fixture
  let answer: ChangeAnswer | undefined
  const change = { subject: name, from: !to, to }
  const turned = () =>
    recordChange(harness.clock, record.switches, change, async () => {
      answer = await ask()
      return answer
    })
  if (to) return await record.off.turnOn(fixture, name, turned)
  const seen = record.off.seen(name)
  const outcome = await turned()
  if (answer?.is_made) await record.off.begin(fixture, { name, what: name, recorded }, seen)
  return outcome
}

/** Whether a switch was on: undefined if it may have been either at some time of a period. */
export function wasOn(
  { record }: Pick<Fixture, 'record'>,
  name: SwitchName,
  { at, until }: { at: Date; until: Date },
): boolean | undefined {
  const during = { subject: name, from: at, until, otherwise: true }
  const values = valuesDuring(record.switches, during)
  return values.size > 1 ? undefined : values.has(true)
}

const PURCHASES = sql`select a.id from attempts a
  join invoices i on i.id = a.invoice_id and i.kind = 'purchase'`

/** The purchases of an app that were recorded. */
export const purchasesOf = (app_id: AppId) => sql`${PURCHASES} where i.app_id = ${app_id}`

/** The purchases of everything that a seller sells. */
export const salesOf = (seller_id: SellerId) => sql`${PURCHASES}
  where i.app_id in (select id from apps where seller_id = ${seller_id})`

/** The purchases and plan changes at a price. */
export const agreementsTo = (price_id: PriceId) => sql`select a.id from attempts a
    join invoices i on i.id = a.invoice_id and i.kind in ('purchase', 'upgrade')
    where i.price_id = ${price_id}
  union all select id::text from audit_log
    where action = 'license.plan_change' and detail->>'to' = ${price_id}`

/** The purchases that use a code. */
export const usesOf = (id: DiscountId) => sql`select invoice_id as id from discount_uses
  where discount_id = ${id}`

/** The sign-ins to an account. */
export const signInsOf = (user_id: UserId) => sql`select id::text from audit_log
  where action = 'account.signed_in' and subject = ${user_id}`

/** The payouts of a payee that were begun, without those that were put off. */
export const payoutsTo = (owner: PayeeId) => sql`select id from payouts
  where owner = ${owner} and not (status = 'open' and retry_at is not null)`
