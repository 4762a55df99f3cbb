import type { AppId, SellerId } from '#platform/ids'
import { sql } from '#platform/sql'
import type { Broken } from './calendar-oracle.ts'
import type { Fixture } from './fixture.ts'
import type { RecordedPayout } from './record.ts'
import type { RecordedChange } from './recorded-change.ts'
import { type SwitchName, wasOn } from './switches.ts'

/**
 * Compares sellers, their payouts and their transfers with the answers to staff who suspended
 * sellers and apps, or paused payouts. `saleFaults` compares what was sold and paid out.
 */
export async function suspensionFaults(fixture: Fixture): Promise<Broken[]> {
  const { record } = fixture
  return [
    {
      rule: 'a payout is refused as paused while it is, and only then',
      facts: record.payouts.filter((payout) => isWrongPayout(fixture, payout)),
    },
    {
      rule: 'no app changes its seller while one of them is suspended, and otherwise it may',
      facts: record.sellers.filter((transfer) => isWrongTransfer(fixture, transfer)),
    },
    {
      rule: 'sellers are as staff left them, and their apps too',
      facts: await otherStates(fixture),
    },
    { rule: 'each decision about a seller has one email', facts: await wrongEmails(fixture) },
  ].filter(({ facts }) => facts.length > 0)
}

function isWrongPayout(fixture: Fixture, { owner, outcome, ...during }: RecordedPayout): boolean {
  const was = wasOn(fixture, `payouts ${owner}`, during)
  return outcome === 'paused' ? was === true : was === false
}

function isWrongTransfer(fixture: Fixture, transfer: RecordedChange<SellerId>): boolean {
  const { subject, from, to, at, answered_at: until, is_made, outcome } = transfer
  if (!until) return false
  const names: SwitchName[] = [`allowed ${subject as AppId}`, `active ${from}`, `active ${to}`]
  const states = names.map((name) => wasOn(fixture, name, { at, until }))
  if (is_made) return states.includes(false)
  return /suspended/.test(outcome) && states.every((was) => was === true)
}

interface DecidedSeller {
  id: SellerId
  is_active: boolean
  are_paid: boolean
  /** Whether each of its apps repeats that it is suspended. */
  is_repeated: boolean
}

async function otherStates(fixture: Fixture): Promise<DecidedSeller[]> {
  const { harness, world } = fixture
  const sellers = await harness.db.rows<DecidedSeller>(sql`select s.id,
      s.suspended_at is null as is_active, s.payouts_paused_at is null as are_paid,
      not exists (select 1 from apps a where a.seller_id = s.id
        and (a.seller_suspended_at is null) <> (s.suspended_at is null)) as is_repeated
    from sellers s`)
  const now = { at: world.clock.now(), until: world.clock.now() }
  return sellers.filter(({ id, is_active, are_paid, is_repeated }) => {
    const wasActive = wasOn(fixture, `active ${id}`, now)
    const werePaid = wasOn(fixture, `payouts ${id}`, now)
    return !is_repeated || wasActive === !is_active || werePaid === !are_paid
  })
}

/** Every decision of staff is in the audit log, and has an email; at most those asked for. */
async function wrongEmails({ harness, record }: Fixture): Promise<unknown[]> {
  const found = await harness.db.rows<{ name: string; done: number; emails: number }>(sql`
    select o.name, o.done, (select count(*) from emails e where e.subject_id = o.subject
        and e.kind in ('seller_decision', 'app_decision')
        and case when e.facts->>'what' like 'payouts%' then 'payouts'
          when e.kind = 'seller_decision' then 'active' else 'allowed' end || ' ' || o.subject
          = o.name) as emails
    from (select subject, count(*) as done,
        case when action like 'seller.payouts%' then 'payouts'
          when action like 'seller.%' then 'active' else 'allowed' end || ' ' || subject as name
      from audit_log where action in ('seller.suspended', 'seller.reinstated', 'app.suspended',
        'app.reinstated', 'seller.payouts_paused', 'seller.payouts_resumed')
      group by 1, 3) o`)
  const counts = new Map(found.map((each) => [each.name, each]))
  const names = new Set(record.switches.map(({ subject }) => subject))
  return [...names].flatMap((name) => {
    if (!/^(active|payouts|allowed) /.test(name)) return []
    const turned = record.switches.filter(({ subject }) => subject === name)
    const sure = turned.filter(({ is_made }) => is_made).length
    const maybe = turned.filter(({ is_made }) => is_made !== false).length
    const { done, emails } = counts.get(name) ?? { done: 0, emails: 0 }
    return done === emails && done >= sure && done <= maybe ? [] : [{ name, done, emails, turned }]
  })
}
