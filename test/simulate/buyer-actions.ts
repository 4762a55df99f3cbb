import * as catalog from '#domain/catalog'
import * as licensing from '#domain/licensing'
import * as payments from '#domain/payments'
import type { TaxAddress } from '#domain/tax'
import { rotateKey } from '#flows/rotate-key'
import {
  cancelPlanChange,
  changeCard,
  changePlan,
  pauseAtEnd,
  payOwed,
  quotePlanChange,
  setAutoRenew,
} from '#flows/subscription'
import type { AppId, LicenseId, PriceId, UserId } from '#platform/ids'
import { type Sql, sql } from '#platform/sql'
import { endChallenge } from '../../src/sandbox/processor.ts'
import { REQUEST } from './actors.ts'
import { type Fixture, PLACES } from './fixture.ts'
import { enterCard } from './purchase-actions.ts'
import type { SeededRandom } from './random.ts'
import { recordChange } from './recorded-change.ts'

/** A license of a person. */
export interface OwnedLicense {
  license_id: LicenseId
  app_id: AppId
  user_id: UserId
  status: licensing.LicenseStatus
  price_id: PriceId | null
}

const RETURN_URL = 'https://harbor.example/manage'
/** A random license that matches a condition. */
export async function someLicense(
  { world }: Fixture,
  rng: SeededRandom,
  where: Sql = sql`l.status <> 'canceled'`,
): Promise<OwnedLicense | undefined> {
  const licenses =
    await world.db.rows<OwnedLicense>(sql`select l.id as license_id, l.app_id, l.user_id,
      l.status, s.price_id
    from licenses l left join subscriptions s on s.license_id = l.id and s.ended_at is null
    where ${where} order by l.created_at, l.id`)
  return licenses.length > 0 ? rng.pick(licenses) : undefined
}

const SUBSCRIBED = sql`l.status <> 'canceled' and s.id is not null`

/** The owner turns auto-renew off, or on again. */
export async function switchAutoRenew(
  fixture: Fixture,
  rng: SeededRandom,
): Promise<string | undefined> {
  const owned = await someLicense(fixture, rng, SUBSCRIBED)
  if (!owned) return undefined
  const { license_id, user_id } = owned
  const to = rng.odds(55) ? 'off' : 'on'
  const requests = fixture.record.ask('auto_renew', license_id)
  const actor = { kind: 'buyer', user_id, request_id: REQUEST } as const
  const done = await setAutoRenew(fixture.world, actor, { license_id, to })
  requests.outcome = done ? to : 'nothing renews'
  return `${license_id} ${requests.outcome}`
}

/** The owner changes plan: at once, too late, or with two presses. */
export async function switchPlan(fixture: Fixture, rng: SeededRandom): Promise<string | undefined> {
  const owned = await someLicense(fixture, rng, SUBSCRIBED)
  if (!owned) return undefined
  const { world, harness } = fixture
  const { license_id, user_id, app_id } = owned
  const { id: price_id } = rng.pick(await catalog.livePrices(world.db, app_id))
  const quote = await quotePlanChange(world, { license_id, price_id })
  if (!quote) return `${license_id} has no such move`
  // An agreement is valid for ten minutes; an older one must be shown again.
  if (rng.odds(15)) harness.clock.pass(rng.between(300, 1200))
  const actor = { kind: 'buyer', user_id, request_id: REQUEST } as const
  const agreed = fixture.record.agreed.get(license_id) ?? new Set()
  fixture.record.agreed.set(license_id, agreed.add(quote.price.amount))
  const agree = async () => {
    const requests = fixture.record.ask('upgrade', license_id, quote.total)
    const { agreement } = quote
    const moved = await changePlan(world, actor, { license_id, agreement, return_url: RETURN_URL })
    requests.outcome = moved.outcome
    return moved.outcome
  }
  const presses = rng.odds(12) ? [agree(), agree()] : [agree()]
  const said = await Promise.all(presses)
  if (said.includes('action_required')) await authenticate(fixture, rng, license_id)
  return `${license_id} ${quote.change.when} for ${quote.total}: ${said.join(' and ')}`
}

/** The owner cancels a scheduled plan change. */
export async function withdrawPlanChange(
  fixture: Fixture,
  rng: SeededRandom,
): Promise<string | undefined> {
  const owned = await someLicense(fixture, rng, sql`s.pending_price_id is not null`)
  if (!owned) return undefined
  const { license_id, user_id } = owned
  await cancelPlanChange(fixture.world, { kind: 'buyer', user_id, request_id: REQUEST }, license_id)
  return license_id
}

/** The owner schedules a pause for the period's end, or cancels it. */
export async function pause(fixture: Fixture, rng: SeededRandom): Promise<string | undefined> {
  const owned = await someLicense(fixture, rng, sql`l.status = 'active' and s.id is not null`)
  if (!owned) return undefined
  const { license_id, user_id } = owned
  const to = rng.odds(75) ? 'on' : 'off'
  const done = await pauseAtEnd(
    fixture.world,
    { kind: 'buyer', user_id, request_id: REQUEST },
    { license_id, to },
  )
  return `${license_id} ${to}: ${done}`
}

const PAYABLE = sql`l.status in ('past_due', 'unpaid') or l.paused_for = 'buyer'`

/** The owner, staff, or both at once pay what is due, which also resumes a paused license. */
export async function payNow(fixture: Fixture, rng: SeededRandom): Promise<string | undefined> {
  const owned = await someLicense(fixture, rng, PAYABLE)
  if (!owned) return undefined
  const { license_id } = owned
  const pay = async (requested_by: 'buyer' | 'staff') => {
    const requests = fixture.record.ask('payment', license_id)
    const paid = await payOwed(fixture.world, { license_id, requested_by, return_url: RETURN_URL })
    requests.outcome = paid.outcome
    return paid.outcome
  }
  const said = await Promise.all(
    rng.odds(20) ? [pay('buyer'), pay('staff')] : [pay(rng.pick(['buyer', 'staff']))],
  )
  if (said.includes('action_required')) await authenticate(fixture, rng, license_id)
  return `${license_id} ${said.join(' and ')}`
}

/** The owner replaces the card on file. */
export async function replaceCard(
  fixture: Fixture,
  rng: SeededRandom,
): Promise<string | undefined> {
  const where = rng.odds(50) ? PAYABLE : SUBSCRIBED
  const owned = await someLicense(fixture, rng, sql`s.id is not null and (${where})`)
  return owned && (await saveCard(fixture, rng, owned))
}

/** The owner replaces the card with one of another address, perhaps in another state. */
export async function changeBillingAddress(
  fixture: Fixture,
  rng: SeededRandom,
): Promise<string | undefined> {
  const { world, harness, record } = fixture
  const owned = await someLicense(fixture, rng, SUBSCRIBED)
  if (!owned) return undefined
  const { license_id: subject } = owned
  const { state: from } = await world.db.one<{ state: string }>(
    sql`select state from subscriptions where license_id = ${subject}`,
  )
  const { state, zip } = rng.pick(PLACES)
  return await recordChange(
    harness.clock,
    record.states,
    { subject, from, to: state },
    async () => {
      const said = await saveCard(fixture, rng, owned, { state, zip })
      return { is_made: true, outcome: `${said}, from ${from} to ${state}` }
    },
  )
}

async function saveCard(
  fixture: Fixture,
  rng: SeededRandom,
  { license_id, user_id }: OwnedLicense,
  address?: TaxAddress,
): Promise<string> {
  const { world, harness } = fixture
  const place = { return_url: RETURN_URL, back_url: RETURN_URL }
  const page = {
    app_name: 'The app',
    product_name: '',
    email: '',
    zip: address?.zip ?? '78701',
    summary: [],
  }
  const { id } = await harness.sandbox.openCardEntry(world.clock.now(), { ...page, ...place })
  const number = await enterCard(fixture, rng, id)
  const card = (await harness.sandbox.readCardEntry(id))!
  const requests = fixture.record.ask('payment', license_id)
  const actor = { kind: 'buyer', user_id, request_id: REQUEST } as const
  const change = { license_id, card, return_url: RETURN_URL, ...(address && { address }) }
  const paid = await changeCard(world, actor, change)
  requests.outcome = paid.outcome
  if (paid.outcome === 'action_required') await authenticate(fixture, rng, license_id)
  return `${license_id} ${number}: ${paid.outcome}`
}

/** The bank's page: the owner passes, fails, or leaves. */
async function authenticate(
  fixture: Fixture,
  rng: SeededRandom,
  license_id: LicenseId,
): Promise<void> {
  if (rng.odds(25)) return
  const { world, harness } = fixture
  const attempt = await payments.latestOfLicense(world.db, license_id)
  if (!attempt?.action_url) return
  await endChallenge(harness.db, attempt.action_url.split('/').at(-1)!, rng.odds(75))
}

/** The owner's key is replaced. */
export async function replaceKey(fixture: Fixture, rng: SeededRandom): Promise<string | undefined> {
  const owned = await someLicense(fixture, rng, sql`true`)
  if (!owned) return undefined
  const { license_id, app_id } = owned
  const { world, record } = fixture
  const before = await licensing.getLicense(world.db, license_id)
  const old = licensing.showKey(world.keys, before)
  const requests = record.ask('rotation', license_id)
  const rotated = await rotateKey(world, {
    app_id,
    license_id,
    actor: { kind: 'app', client_id: app_id, request_id: REQUEST },
    rotation_key: null,
    reason: undefined,
  })
  requests.outcome = rotated.outcome === 'rotated' ? old : rotated.outcome
  return `${license_id} ${rotated.outcome}`
}

/** The bank's behavior changes: the next renewals fail, or the card works from here on. */
export async function changeBankAnswer(
  fixture: Fixture,
  rng: SeededRandom,
): Promise<string | undefined> {
  const owned = await someLicense(fixture, rng, SUBSCRIBED)
  if (!owned) return undefined
  const { token } = await fixture.world.db.one<{ token: string }>(sql`select c.token from cards c
    join subscriptions s on s.card_id = c.id where s.license_id = ${owned.license_id}`)
  const works = rng.odds(35)
  if (works) await fixture.harness.sandbox.recoverCard(token)
  else await fixture.harness.sandbox.declineRenewals(token, rng.between(1, 8))
  return `${owned.license_id} ${works ? 'works' : 'declines'}`
}
