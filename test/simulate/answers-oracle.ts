import * as licensing from '#domain/licensing'
import { type CartId, type InvoiceId, type LicenseId, parseId } from '#platform/ids'
import { sql } from '#platform/sql'
import type { Broken } from './calendar-oracle.ts'
import type { Fixture } from './fixture.ts'
import type { RecordedRequest } from './record.ts'

// These answers leave the outcome open.
const UNSURE = ['unknown', 'processing', 'action_required']

/** Compares the answers that people received with the records of the processor and the service. */
export async function answerFaults(fixture: Fixture): Promise<Broken[]> {
  return [
    ...(await purchaseFaults(fixture)),
    ...(await chargeFaults(fixture, 'upgrade', 'paid')),
    ...(await paymentFaults(fixture)),
    ...(await refundFaults(fixture)),
    ...(await autoRenewFaults(fixture)),
    ...(await keyFaults(fixture)),
  ]
}

function bySubject(requests: readonly RecordedRequest[]): Map<string, RecordedRequest[]> {
  return Map.groupBy(requests, ({ subject }) => subject)
}

/** A cart is charged what its buyer confirmed: once if the answer said so, never if it said not. */
async function purchaseFaults({ harness, record }: Fixture): Promise<Broken[]> {
  const taken = await harness.db.rows<{ cart_id: CartId; amount: number }>(sql`
    select i.cart_id, s.amount from sandbox.charges s join attempts a on a.id = s.key
      join invoices i on i.id = a.invoice_id
    where s.status = 'succeeded' and i.cart_id is not null
      and (s.amount > 0 or a.status = 'succeeded')`)
  const charged = Map.groupBy(taken, ({ cart_id }) => cart_id)
  const requests = bySubject(record.requests.purchase)
  const unasked = taken.filter(({ cart_id }) => !requests.has(cart_id))
  const wrong = [...requests].filter(([cart_id, presses]) => {
    const charges = charged.get(parseId('cart', cart_id)) ?? []
    const isSure = presses.every(({ outcome }) => !UNSURE.includes(outcome))
    const isDone = presses.some(({ outcome }) => outcome === 'completed')
    if (charges.length > 1 || (isDone && charges.length === 0)) return true
    if (isSure && !isDone && charges.length > 0) return true
    const agreed = presses.filter(
      ({ outcome }) => outcome === 'completed' || UNSURE.includes(outcome),
    )
    return charges.some(({ amount }) => !agreed.some((press) => press.amount === amount))
  })
  const facts = [
    ...unasked,
    ...wrong.map(([id, presses]) => ({ id, presses, took: charged.get(parseId('cart', id)) })),
  ]
  return facts.length > 0 ? [{ rule: 'a buyer is charged what they agreed to, once', facts }] : []
}

/** Charged upgrades are those that their owners confirmed, to the cent. */
async function chargeFaults(fixture: Fixture, kind: 'upgrade', done: string): Promise<Broken[]> {
  const { harness, record } = fixture
  const taken = await harness.db.rows<{ license_id: LicenseId; amount: number }>(sql`
    select i.license_id, c.amount from charges c join invoices i on i.id = c.invoice_id
    where i.kind = ${kind}`)
  const requests = bySubject(record.requests[kind])
  const licenses = new Set([...requests.keys(), ...taken.map(({ license_id }) => license_id)])
  const facts = [...licenses].flatMap((license_id) => {
    const charges = taken.filter((each) => each.license_id === license_id)
    const presses = requests.get(license_id) ?? []
    const isExplained = (amounts: number[], by: Pick<RecordedRequest, 'amount'>[]) => {
      const left = by.map(({ amount }) => amount)
      return amounts.every((amount) => {
        const at = left.indexOf(amount)
        return at >= 0 && left.splice(at, 1).length === 1
      })
    }
    const sure = presses.filter(({ outcome }) => outcome === done)
    const maybe = presses.filter(({ outcome }) => outcome === done || UNSURE.includes(outcome))
    const amounts = charges.map(({ amount }) => amount)
    const isRight =
      isExplained(amounts, maybe) &&
      isExplained(
        sure.map(({ amount }) => amount),
        charges,
      )
    return isRight ? [] : [{ license_id, charges, presses }]
  })
  return facts.length > 0 ? [{ rule: 'a move costs what its owner agreed to, once', facts }] : []
}

/** Requested payments were made as often as the answers said. */
async function paymentFaults({ harness, record }: Fixture): Promise<Broken[]> {
  const paid = await harness.db.rows<{ license_id: LicenseId; count: number }>(sql`
    select i.license_id, count(*) as count from attempts a join invoices i on i.id = a.invoice_id
    where a.status = 'succeeded' and a.requested_by <> 'schedule' and i.kind = 'renewal' group by 1`)
  // A period without a charge has no attempt.
  const free = await harness.db.rows<{ license_id: LicenseId; count: number }>(sql`
    select i.license_id, count(*) as count from invoices i
      left join charges c on c.invoice_id = i.id
    where i.kind = 'renewal' and i.status = 'paid' and c.id is null group by 1`)
  const requests = bySubject(record.requests.payment)
  const licenses = new Set([...requests.keys(), ...paid.map(({ license_id }) => license_id)])
  const facts = [...licenses].flatMap((license_id) => {
    const count = paid.find((each) => each.license_id === license_id)?.count ?? 0
    const presses = requests.get(license_id) ?? []
    const sure = presses.filter(({ outcome }) => outcome === 'paid').length
    const unsure = presses.filter(({ outcome }) => UNSURE.includes(outcome)).length
    const unpaid = free.find((each) => each.license_id === license_id)?.count ?? 0
    return count + unpaid >= sure && count <= sure + unsure ? [] : [{ license_id, count, presses }]
  })
  return facts.length > 0 ? [{ rule: 'a confirmed payment was charged, once', facts }] : []
}

/**
 * The processor refunded what was requested, and nothing that was refused. The credit of upgrades
 * has rules of its own.
 */
async function refundFaults({ harness, record }: Fixture): Promise<Broken[]> {
  const given = await harness.db.rows<{ invoice_id: InvoiceId; amount: number }>(sql`
    select c.invoice_id, s.amount from sandbox.refunds s join refunds r on r.id = s.key
      join charges c on c.id = r.charge_id
    where s.status <> 'refused' and r.requested_by <> 'system' and r.upgrade_refund_id is null`)
  const requests = bySubject(record.requests.refund)
  const invoices = new Set([...requests.keys(), ...given.map(({ invoice_id }) => invoice_id)])
  const facts = [...invoices].flatMap((invoice_id) => {
    const backs = given.filter((each) => each.invoice_id === invoice_id)
    const presses = requests.get(invoice_id) ?? []
    const sure = presses.filter(({ outcome }) => outcome === 'refunded')
    const maybe = presses.filter(({ outcome }) => UNSURE.includes(outcome))
    const isCounted = backs.length >= sure.length && backs.length <= sure.length + maybe.length
    // Zero requests everything that is left.
    const isRequested = backs.every(({ amount }) =>
      [...sure, ...maybe].some((press) => press.amount === amount || press.amount === 0),
    )
    return isCounted && isRequested ? [] : [{ invoice_id, backs, presses }]
  })
  return facts.length > 0 ? [{ rule: 'what went back is what was asked for, once', facts }] : []
}

/** Auto-renew matches the latest answer to its owner, or one of those to parallel requests. */
async function autoRenewFaults({ harness, record }: Fixture): Promise<Broken[]> {
  const now = await harness.db.rows<{ license_id: LicenseId; auto_renew: boolean }>(sql`
    select license_id, auto_renew from subscriptions where ended_at is null`)
  const by_license = bySubject(record.requests.auto_renew)
  const facts = now.filter(({ license_id, auto_renew }) => {
    const requests = by_license.get(license_id) ?? []
    if (requests.some(({ outcome }) => outcome === 'unknown')) return false
    const latest = requests.slice(requests.findLastIndex(({ is_parallel }) => !is_parallel))
    const outcomes = latest
      .map(({ outcome }) => outcome)
      .filter((each) => each === 'on' || each === 'off')
    return outcomes.length > 0 && !outcomes.includes(auto_renew ? 'on' : 'off')
  })
  return facts.length > 0 ? [{ rule: 'auto-renew is as its owner set it', facts }] : []
}

// A sample suffices: the common rules check keys as well.
const KEYS = 6

/** Validation results match the table; a replaced key is invalid. */
async function keyFaults({ harness, world, record }: Fixture): Promise<Broken[]> {
  const { db } = harness
  const entitled = ['active', 'trialing', 'one_time_active']
  const owned = await db.rows<licensing.License>(sql`select id as license_id, app_id, status,
      product_id, period_end, canceled_at, key_sealed from licenses order by created_at desc, id limit ${KEYS}`)
  const facts: unknown[] = []
  for (const license of owned) {
    const find = async (license_key: string) => {
      const question = { client_id: license.app_id, license_key }
      return (await licensing.findByKey(db, world.keys, question)).found
    }
    const found = await find(licensing.showKey(world.keys, license))
    const state = found && licensing.stateOf(found)
    const { license_id, status } = license
    if (state?.status !== status || state.entitled !== entitled.includes(status)) {
      facts.push({ license_id, status, state })
    }
    for (const { outcome } of record.requests.rotation.filter(
      (each) => each.subject === license_id,
    )) {
      const isOld = outcome.startsWith('key_') && (await find(outcome)) !== undefined
      if (isOld) facts.push({ license_id, old: 'is known' })
    }
  }
  return facts.length > 0
    ? [{ rule: 'a key answers what the table says, an old one nothing', facts }]
    : []
}
