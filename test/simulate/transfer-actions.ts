import * as apps from '#domain/apps'
import * as identity from '#domain/identity'
import {
  acceptTransfer,
  decideApproval,
  declineTransfer,
  offerTransfer,
  requestApproval,
  withdrawTransfer,
} from '#flows/app'
import { refundCharge } from '#flows/refund'
import type { InvoiceId, UserId } from '#platform/ids'
import { sql } from '#platform/sql'
import { actingSeller, actingStaff, REQUEST } from './actors.ts'
import type { Fixture, Seller, Shop } from './fixture.ts'
import type { RecordedAcceptance } from './ownership-record.ts'
import type { SeededRandom } from './random.ts'
import { type ChangeAnswer, recordChange } from './recorded-change.ts'
import { purchasesOf, setSwitch } from './switches.ts'

/** What happens to apps between sellers, with its relative frequency. */
export const TRANSFER_ACTIONS = [
  { name: 'transfer an app', weight: 2, act: transferApp },
  { name: 'approve an app', weight: 6, act: approveApp },
  { name: 'refund an earlier sale', weight: 2, act: refundEarlierSale },
] as const

/** A seller offers an app to another one, who most often accepts. */
async function transferApp(fixture: Fixture, rng: SeededRandom): Promise<string> {
  return await offerApp(fixture, rng)
}

/** What happens between an offer and its answer, in a few words. */
type Between = (offer: { shop: Shop; to: Seller }) => Promise<string>

/** A seller offers an app to another one, and something may happen before that one answers. */
export async function offerApp(
  fixture: Fixture,
  rng: SeededRandom,
  between?: Between,
): Promise<string> {
  const { harness, record, shops, sellers } = fixture
  const shop = rng.pick(shops)
  const to = sellers.find(({ seller_id }) => seller_id !== shop.seller_id)!
  const facts = { subject: shop.id, from: shop.seller_id, to: to.seller_id }
  const name = `approved ${shop.id}` as const
  const seen = record.off.seen(name)
  try {
    let is_made = false
    const outcome = await recordChange(harness.clock, record.sellers, facts, async () => {
      const answer = await offerAndAnswer(fixture, rng, { shop, to, between })
      is_made = answer.is_made
      return answer
    })
    const period = { name, what: `transferred ${shop.id}`, recorded: purchasesOf(shop.id) }
    if (is_made) await record.off.begin(fixture, period, seen)
    return `${shop.id} to ${to.seller_id}: ${outcome}`
  } finally {
    // Also if the answer was lost: a seller sees their apps.
    const { seller_id } = await apps.get(harness.db, shop.id)
    Object.assign(
      shop,
      sellers.find((each) => each.seller_id === seller_id),
    )
  }
}

async function offerAndAnswer(
  fixture: Fixture,
  rng: SeededRandom,
  { between, ...people }: { shop: Shop; to: Seller; between: Between | undefined },
): Promise<ChangeAnswer> {
  const { world, record } = fixture
  const { db, clock } = world
  // As they were when the offer was made.
  const [shop, to] = [{ ...people.shop }, { ...people.to }]
  const { email, email_normalized } = await identity.getUser(db, to.seller_user_id)
  const offer = { app_id: shop.id, email, email_normalized, reason: 'We focus on another app.' }
  const offered = await offerTransfer(world, actingSeller(shop), offer)
  const open = await apps.openTransferOf(db, clock.now(), shop.id)
  if (!open) return { is_made: false, outcome: offered }
  const { id } = open
  const offered_at = clock.now()
  const happened = between ? `${await between(people)}, ` : ''
  const draw = rng.below(100)
  if (draw < 10) {
    const isDone = await withdrawTransfer(world, actingSeller(shop), shop.id)
    return { is_made: false, outcome: `${happened}${isDone ? 'withdrawn' : 'not_open'}` }
  }
  if (draw < 20) {
    const isDone = await declineTransfer(world, actingSeller(to), { id, email_normalized })
    return { is_made: false, outcome: `${happened}${isDone ? 'declined' : 'not_open'}` }
  }
  const { seller_id } = to
  const accept = async () => {
    const at = clock.now()
    const by = to.seller_user_id
    const facts = { app_id: shop.id, from: shop.seller_id, to: seller_id, by, offered_at, at }
    const acceptance: RecordedAcceptance = { ...facts, outcome: 'unknown' }
    record.acceptances.push(acceptance)
    const recipient = { id, email_normalized, seller_id }
    const answer = await acceptTransfer(world, actingSeller(to), recipient)
    acceptance.until = clock.now()
    acceptance.outcome = typeof answer === 'object' ? 'accepted' : answer
    return acceptance.outcome
  }
  const said = await Promise.all(draw < 30 ? [accept(), accept()] : [accept()])
  return { is_made: said.includes('accepted'), outcome: `${happened}${said.join(' and ')}` }
}

/** A seller asks staff to approve an app after its transfer, and staff decides. */
async function approveApp(fixture: Fixture, rng: SeededRandom): Promise<string | undefined> {
  const { world, shops, operator_id } = fixture
  const waiting = await world.db.rows<{ id: string }>(
    sql`select id from apps where not external_sales_enabled order by created_at, id`,
  )
  if (waiting.length === 0) return undefined
  const { id: app_id } = rng.pick(waiting)
  const shop = shops.find(({ id }) => id === app_id)!
  const requested = await requestApproval(world, actingSeller(shop), shop.id)
  const approval = await apps.latestApproval(world.db, shop.id)
  if (requested !== 'requested' || !approval) return `${app_id} ${requested}`
  const is_approved = rng.odds(85)
  const decision = { id: approval.id, is_approved, reason: 'We looked at it.' }
  const decide = () => decideApproval(world, actingStaff(operator_id), decision)
  const approved = {
    name: `approved ${shop.id}`,
    to: true,
    recorded: purchasesOf(shop.id),
  } as const
  let isDone = false
  const approve = async () => {
    isDone = await decide()
    return { is_made: isDone, outcome: 'approved' }
  }
  if (is_approved) await setSwitch(fixture, approved, approve)
  else isDone = await decide()
  return `${app_id} ${isDone ? (is_approved ? 'approved' : 'refused') : 'was decided before'}`
}

interface EarlierSale {
  invoice_id: InvoiceId
  former_user_id: UserId
  seller_user_id: UserId
}

/** A refund of what an app's former seller sold: by staff, by that seller, or by the new one. */
async function refundEarlierSale(fixture: Fixture, rng: SeededRandom): Promise<string | undefined> {
  const { world, record, operator_id } = fixture
  const sales = await world.db.rows<EarlierSale>(sql`select i.id as invoice_id,
      f.user_id as former_user_id, m.user_id as seller_user_id
    from charges c join invoices i on i.id = c.invoice_id join apps a on a.id = i.app_id
      join seller_members f on f.seller_id = i.seller_id and f.role = 'owner'
      join seller_members m on m.seller_id = a.seller_id and m.role = 'owner'
    where i.seller_id <> a.seller_id order by i.number`)
  if (sales.length === 0) return undefined
  const { invoice_id, former_user_id, seller_user_id } = rng.pick(sales)
  const kind = rng.odds(50) ? ('staff' as const) : ('seller' as const)
  const asking = rng.pick([former_user_id, seller_user_id])
  const user_id = kind === 'staff' ? operator_id : asking
  const request = record.ask('refund', invoice_id)
  const actor = { kind, user_id, request_id: REQUEST }
  const given = await refundCharge(world, actor, { invoice_id, reason: 'The buyer asked for it.' })
  request.outcome = given.outcome === 'refused' ? given.refusal : given.outcome
  return `${invoice_id} by ${user_id}: ${request.outcome}`
}
