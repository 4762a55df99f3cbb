import type { InvoiceId, LicenseId } from '#platform/ids'
import { sql } from '#platform/sql'
import type { Broken } from './calendar-oracle.ts'
import type { Fixture } from './fixture.ts'

/** Compares what sellers did for single buyers, and the answers that they saw, with the records. */
export async function supportFaults(fixture: Fixture): Promise<Broken[]> {
  return [
    {
      rule: 'a trial is extended as its seller saw, once',
      facts: await wrongExtensions(fixture),
    },
    {
      rule: 'the credit of an upgrade is refunded as it was shown',
      facts: await wrongCredits(fixture),
    },
    { rule: 'the answer to a seller who ends a license was true', facts: await wrongEnds(fixture) },
  ].filter(({ facts }) => facts.length > 0)
}

/** What was asked for, and whether it was done: undefined if the answer was lost. */
interface Asked {
  what: string
  is_done: boolean | undefined
}

/** What was done but not asked for, or was to be done and is not, each as often as it was asked. */
function differences(done: readonly string[], asked: readonly Asked[]): string[] {
  const left = [...done]
  const take = ({ what }: Asked) => {
    const at = left.indexOf(what)
    return at >= 0 && left.splice(at, 1).length === 1
  }
  const missing = asked.filter((each) => each.is_done === true && !take(each))
  for (const each of asked) if (each.is_done === undefined) take(each)
  return [...missing.map(({ what }) => `missing: ${what}`), ...left]
}

async function wrongExtensions({ harness, record }: Fixture): Promise<string[]> {
  const done = await harness.db.rows<{ license_id: LicenseId; days: number; before: string }>(
    sql`select subject as license_id, (detail->>'days')::int as days, detail->>'before' as before
      from audit_log where action = 'license.trial_extended'`,
  )
  const asked = record.extensions.map(({ license_id, days, from, outcomes }) => ({
    what: [license_id, days, from.getTime()].join(' '),
    is_done: outcomes.includes('extended') || (outcomes.includes('unknown') ? undefined : false),
  }))
  const extended = done.map(({ license_id, days, before }) =>
    [license_id, days, Date.parse(before)].join(' '),
  )
  return differences(extended, asked)
}

// The answers to refunds that were recorded, whatever the processor said.
const RECORDED = ['refunded', 'processing', 'refused_by_processor']

async function wrongCredits({ harness, record }: Fixture): Promise<string[]> {
  const done = await harness.db.rows<{ invoice_id: InvoiceId; amount: number }>(sql`
    select c.invoice_id, sum(r.amount)::bigint as amount from refunds r
      join refunds u on u.id = r.upgrade_refund_id join charges c on c.id = u.charge_id
    group by u.id, c.invoice_id`)
  const asked = record.credits.map(({ invoice_id, credit, outcome }) => ({
    what: `${invoice_id} ${credit}`,
    is_done: outcome === 'unknown' ? undefined : RECORDED.includes(outcome),
  }))
  return differences(
    done.map(({ invoice_id, amount }) => `${invoice_id} ${amount}`),
    asked,
  )
}

interface EndedLicense {
  license_id: LicenseId
  origin: string
  status: string
  canceled_at: Date | null
  /** Of its subscription; null without one, or while it runs. */
  ended_at: Date | null
  is_subscribed: boolean
}

/** A license that a seller ended is over; what could not be ended was over, or never renewed. */
async function wrongEnds({ harness, record }: Fixture): Promise<unknown[]> {
  const licenses = await harness.db.rows<EndedLicense>(sql`select l.id as license_id, l.origin,
      l.status, s.ended_at, s.id is not null as is_subscribed,
      (select max(at) from license_history h where h.license_id = l.id
        and h.to_status = 'canceled') as canceled_at
    from licenses l left join subscriptions s on s.license_id = l.id`)
  const found = new Map(licenses.map((license) => [String(license.license_id), license]))
  return record.ends.flatMap((end) => {
    const { subject, answered_at, is_made } = end
    const license = found.get(subject)!
    const { origin, is_subscribed, canceled_at, ended_at } = license
    const wasOver =
      (canceled_at !== null && canceled_at <= answered_at!) ||
      (origin !== 'import' && (!is_subscribed || (ended_at !== null && ended_at <= answered_at!)))
    const isTrue = is_made === undefined || (wasOver && (!is_made || license.status === 'canceled'))
    return isTrue ? [] : [{ end, license }]
  })
}
