import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import * as billing from '#domain/billing'
import * as identity from '#domain/identity'
import * as licensing from '#domain/licensing'
import * as metrics from '#domain/metrics'
import { reinstateByStaff, suspendByStaff } from '#flows/staff-actions'
import { givePlan } from '#flows/subscription'
import { addDays, isoDate } from '#platform/calendar'
import { type LicenseId, type ProductId, readId } from '#platform/ids'
import { sql } from '#platform/sql'
import { type Agent, textOf } from '../support/agent.ts'
import { untilBlocked } from '../support/blocked.ts'
import { assertInvariantsAndClose } from '../support/invariants.ts'
import { assertContains, emailTo, linkIn } from '../support/mailbox.ts'
import { basic, buyer, enterCard, goToConfirm, orderReference, TEXAS } from '../support/purchase.ts'
import { buy, sellerActor, staffActor } from '../support/refunds.ts'
import { signedIn } from '../support/seller.ts'
import { openTestService, type TestService } from '../support/service.ts'
import { signInAs } from '../support/sign-in.ts'
import { passDays, runDue, stateOf } from '../support/subscriber.ts'

const APP = '/dashboard/apps/tidepool'

let service: TestService
let sellers: Agent
let plans: Map<string, ProductId>
before(async () => {
  service = await openTestService()
  await service.world.jobs.start()
  sellers = await signedIn(service, service.demo.seller)
  const products = await service.world.db.rows<{ name: string; id: ProductId }>(sql`
    select name, id from products where app_id = ${service.demo.app.client_id}`)
  plans = new Map(products.map(({ name, id }) => [name, id]))
})
after(() => assertInvariantsAndClose(service))

let count = 0

/** A person who was given a plan, with the key of the email. */
interface Given {
  email: string
  license_id: LicenseId
  license_key: string
  message: string
}

/** Gives Pro through the seller's page, until a number of days from now. */
async function give(facts: { email?: string; days?: number } = {}): Promise<Given> {
  const email = facts.email ?? `given-${count++}@example.com`
  const ends = facts.days ? isoDate(addDays(service.clock.now(), facts.days)) : ''
  const agent = (await signedIn(service, service.demo.seller)).twin()
  await agent.open(`${APP}/licenses/give/`)
  const form = { email, plan: plans.get('Pro')!, ends, reason: 'A contributor' }
  const page = await agent.submit('Give plan', form)
  assert.match(textOf(page.body), /Plan given\./)
  const license_id = readId('lic', /customers\/(lic_\w+)\//.exec(page.url)?.[1])!
  const message = await emailTo(service, email, /^Tidepool gave you Pro$/)
  return { email, license_id, license_key: /key_\w+/.exec(message)![0], message }
}

const stateFor = ({ license_key }: Pick<Given, 'license_key'>) =>
  stateOf(service, { license_key, app: service.demo.app })

/** A browser of the person with an email. */
async function browserOf({ email }: Pick<Given, 'email'>): Promise<Agent> {
  const { id: user_id } = (await identity.findByEmail(service.world.db, email))!
  return await signInAs(service, { user_id }, { agent: buyer(service) })
}

const staffBecause = async (reason: string) => ({ ...(await staffActor(service)), reason })

async function textAt(path: string): Promise<string> {
  return textOf((await sellers.twin().open(`${APP}/${path}`)).body)
}

describe('a plan that a seller gives', () => {
  test('is a license with a key, emailed without amounts, and charged nothing', async () => {
    const given = await give()
    const state = await stateFor(given)
    assert.deepEqual(
      Object.keys(state).sort(),
      Object.keys(await stateFor(await buy(service))).sort(),
    )
    assert.deepEqual(
      [state.entitled, state.status, state.period_end, state.canceled_at],
      [true, 'one_time_active', null, null],
    )
    assert.equal(state.product_id, plans.get('Pro'))
    assert.doesNotMatch(given.message, /\$/)
    assert.ok(linkIn(given.message, 'set_password'))
    const { db } = service.world
    const { made } = await db.one<{ made: number }>(sql`select (select count(*) from invoices
        where license_id = ${given.license_id}) + (select count(*) from orders
        where license_id = ${given.license_id}) + (select count(*) from attempts
        where email_normalized = ${given.email}) as made`)
    assert.equal(made, 0)
  })

  test('is found as a comp in the lists, on the timeline and in the audit log', async () => {
    const given = await give({ days: 30 })
    const list = await textAt(`licenses/?origin=comp&q=${given.email}`)
    assert.match(list, /Licenses 1 Active 1 .*\$0\.00 given-\d+@example\.com Pro Active Comp/)
    assert.match(
      await textAt(`customers/?q=${given.email}`),
      /\$0\.00 .* Pro Active .* Ends \w+ \d+, 2026/,
    )
    assert.match(await textAt(`subscriptions/?q=${given.email}`), /No matching subscriptions/)
    const page = await textAt(`customers/${given.license_id}/`)
    assert.match(page, /Active Comp .*Given March.* Ends April/)
    assert.match(page, /Timeline .*Email: Plan given.*License: the seller gave a plan/)
    assert.match(page, /Actions Cancel now Replace key Resend email License .*No invoices/)
    const entry =
      await service.world.db.one<object>(sql`select actor, detail ->> 'reason' as reason,
      detail ->> 'product_id' as plan from audit_log where subject = ${given.license_id}
        and action = 'license.comped'`)
    const { user_id } = await sellerActor(service)
    assert.deepEqual(entry, { actor: user_id, reason: 'A contributor', plan: plans.get('Pro') })
  })

  test('adds a license to the figures, and no revenue', async () => {
    const app_id = service.demo.app.client_id
    const totals = () => metrics.subscriptionTotals(service.world.db, { app_id })
    const before = await totals()
    await give({ days: 30 })
    assert.deepEqual(await totals(), before)
    assert.deepEqual(await metrics.findWrongMetrics(service.world.db), [])
  })

  test('is shown to its owner with the key, and nothing to pay, renew or resend', async () => {
    const given = await give({ days: 30 })
    const agent = await browserOf(given)
    const purchases = await agent.open('/account/')
    assert.match(textOf(purchases.body), /Tidepool Pro .*Given to you on March.*Ends on April/)
    const page = await agent.open(`/manage/${service.demo.app.client_id}/`)
    const text = textOf(page.body)
    assert.match(text, /Cost Nothing: the seller gave you this plan Ends on April/)
    assert.ok(page.body.includes(given.license_key))
    assert.doesNotMatch(text, /Change plan|Cancel subscription|Update card|Resend receipt|\$/)
    const path = `/manage/${service.demo.app.client_id}`
    for (const closed of ['plan/', 'auto-renew/', 'pause/']) {
      assert.equal((await agent.twin().open(`${path}/${closed}`)).url.split('?')[0], `${path}/`)
    }
  })

  test('ends on its day, and can then be bought', async () => {
    const given = await give({ days: 3 })
    const day = isoDate(addDays(service.clock.now(), 3))
    const state = await stateFor(given)
    assert.deepEqual(
      [state.entitled, state.status, state.period_end, state.canceled_at],
      [true, 'active', day, day],
    )
    await passDays(service, 2)
    assert.equal((await stateFor(given)).entitled, true)
    await passDays(service, 1)
    const ended = await stateFor(given)
    assert.deepEqual([ended.entitled, ended.status, ended.canceled_at], [false, 'canceled', day])
    const agent = await browserOf(given)
    const page = await agent.open(`/manage/${service.demo.app.client_id}/`)
    assert.match(textOf(page.body), /This license has ended/)
    const price = service.demo.app.prices[0]!.public_id
    await agent.open(`/buy/${price}/`)
    await agent.submit('Continue', { email: given.email, ...TEXAS })
    await enterCard(agent)
    await agent.submit(/^Pay /)
    sellers = await signedIn(service, service.demo.seller)
    const list = await textAt(`licenses/?q=${given.email}`)
    assert.match(list, /Licenses 2 Active 1 Canceled 1 .*\$12\.60 .*Pro Active .*Pro Canceled Comp/)
    assert.match(await textAt(`customers/?q=${given.email}`), /Customers 1 Paid.*\$12\.60/)
  })

  test('leads its owner back to the app from a buy link, with a reference that works', async () => {
    const given = await give()
    const agent = await browserOf(given)
    const page = await agent.open(`/buy/${service.demo.app.prices[0]!.public_id}/`)
    const reference = orderReference(page)
    const answer = await service.app.inject({
      url: `/api/v1/orders/${reference}`,
      headers: basic(service, service.demo.app),
    })
    assert.equal(answer.statusCode, 200)
    assert.equal(answer.json().license_key, given.license_key)
    assert.equal(answer.json().status, 'one_time_active')
  })

  test('is ended by Cancel now, with a reason and an email', async () => {
    const given = await give()
    const agent = sellers.twin()
    await agent.open(`${APP}/customers/${given.license_id}/`)
    await agent.press('Cancel now')
    const done = await agent.submit('Cancel now', { reason: 'Left the project' })
    assert.match(textOf(done.body), /The license has ended/)
    assert.equal((await stateFor(given)).status, 'canceled')
    assert.match(await emailTo(service, given.email, /^Your Tidepool Pro plan has ended$/), /ended/)
    const again = await give({ email: given.email })
    assert.notEqual(again.license_id, given.license_id)
  })

  test('is emailed again, with its key, from the person’s page', async () => {
    const given = await give()
    const agent = await signedIn(service, service.demo.seller)
    await agent.open(`${APP}/customers/${given.license_id}/`)
    await agent.press('Resend email')
    const page = await agent.submit('Resend email', { reason: 'It was lost' })
    assert.match(textOf(page.body), /Email sent\./)
    await emailTo(service, given.email, /^Tidepool gave you Pro$/)
    const { db } = service.world
    const sent = await db.rows<{ text: string }>(
      sql`select text from dev_mailbox where recipient = ${given.email}`,
    )
    assert.deepEqual(
      sent.map(({ text }) => text.includes(given.license_key)),
      [true, true],
    )
    const { reason } = await db.one<{ reason: string }>(sql`select detail ->> 'reason' as reason
      from audit_log where action = 'email.resent' and detail ->> 'license_id' = ${given.license_id}`)
    assert.equal(reason, 'It was lost')
    const path = `${APP}/customers/${given.license_id}/resend-key/`
    for (let more = 0; more < 4; more++) {
      await agent.open(path)
      await agent.submit('Resend email', { reason: 'It was lost' })
    }
    await agent.open(path)
    const refused = await agent.submit('Resend email', { reason: 'It was lost' })
    assert.match(textOf(refused.body), /Not sent: this email was sent several times/)
  })

  test('gets a new key by email when the seller replaces it', async () => {
    const given = await give()
    // The second email is the later one.
    service.clock.pass(1)
    const agent = sellers.twin()
    await agent.open(`${APP}/customers/${given.license_id}/replace-key/`)
    for (const each of [agent, agent.tab()]) {
      await each.submit('Replace key', { reason: 'The key leaked' })
    }
    const { count } = await service.world.db.one<{ count: number }>(sql`select count(*) as count
      from emails where cause like 'new_key:%' and subject_id = ${given.license_id}`)
    assert.equal(count, 1)
    const message = await emailTo(service, given.email, /^Your license key for .* was replaced$/)
    assertContains(message, 'Tidepool replaced your license key. The old key no longer works.')
    const license_key = /key_\w+/.exec(message)![0]
    assert.notEqual(license_key, given.license_key)
    assert.equal((await stateFor({ license_key })).entitled, true)
  })

  test('that staff suspended ends when it resumes, if its day has passed', async () => {
    const given = await give({ days: 2 })
    const { license_id } = given
    await suspendByStaff(service.world, await staffBecause('A review'), license_id)
    await passDays(service, 3)
    assert.equal((await stateFor(given)).status, 'paused')
    await reinstateByStaff(service.world, await staffBecause('Reviewed'), license_id)
    await runDue(service)
    assert.equal((await stateFor(given)).status, 'canceled')
    sellers = await signedIn(service, service.demo.seller)
  })
})

describe('no plan is given', () => {
  const refused = async (form: Record<string, string>) => {
    const agent = sellers.twin()
    await agent.open(`${APP}/licenses/give/`)
    const plan = plans.get('Pro')!
    const page = await agent.submit('Give plan', { plan, reason: 'A contributor', ...form })
    assert.equal(page.status, 422)
    return page
  }

  test('to a person with a live license of the app, which the page links to', async () => {
    const bought = await buy(service)
    const page = await refused({ email: bought.email.toUpperCase() })
    assert.match(textOf(page.body), /has a license of this app: Pro\. A person has one license/)
    assert.ok(page.body.includes(`${APP}/customers/${bought.license_id}/`))
  })

  test('without an email, a paid plan, a reason or a day in the future', async () => {
    const empty = await refused({ email: 'given', reason: '', ends: '2020-01-01' })
    const all = /Enter an email address.*Enter a date in the future.*Give a reason for your records/
    assert.match(textOf(empty.body), all)
    const long = await refused({ email: 'given@example.com', reason: 'x'.repeat(201) })
    assert.match(
      long.body,
      /href="#reason">Reason: Use at most 200 characters\. This text has 201\.</,
    )
    const email = 'unserved@example.com'
    const past = await refused({ email, ends: isoDate(service.clock.now()) })
    assert.match(textOf(past.body), /Enter a date in the future/)
    const actor = await sellerActor(service)
    const facts = { email, email_normalized: email, ends_at: null, reason: 'A contributor' }
    const app_id = service.demo.app.client_id
    for (const product_id of [plans.get('Free')!, await otherPlan()]) {
      const given = await givePlan(service.world, actor, { ...facts, app_id, product_id })
      assert.equal(given.outcome, 'no_plan')
    }
    assert.equal(await identity.findByEmail(service.world.db, email), undefined)
  })

  // Otherwise the purchase is charged and has no license.
  test('to a person whose purchase is processing', async () => {
    const email = 'processing@example.com'
    const agent = buyer(service)
    await goToConfirm(service, agent, { email, card: '4999990000000015' })
    await agent.submit(/^Pay /)
    const live = { app_id: service.demo.app.client_id, email_normalized: email }
    if (await licensing.findLive(service.world.db, live)) return assert.fail('it was settled')
    assert.match(textOf((await refused({ email })).body), /This person is buying the app now/)
    service.clock.pass(60)
  })
})

async function otherPlan(): Promise<ProductId> {
  const { id } = await service.world.db.one<{ id: ProductId }>(sql`select p.id from products p
    join apps a on a.id = p.app_id where a.slug = 'driftlog' and not p.is_free limit 1`)
  return id
}

test('giving and buying at the same time makes one license, and charges no one without one', async () => {
  const { world } = service
  const actor = await sellerActor(service)
  for (let round = 0; round < 5; round++) {
    const email = `racing-${round}@example.com`
    const agent = buyer(service)
    await goToConfirm(service, agent, { email })
    const app_id = service.demo.app.client_id
    const gift = { app_id, email, email_normalized: email, product_id: plans.get('Pro')! }
    await Promise.all([
      agent.submit(/^Pay /),
      givePlan(world, actor, { ...gift, ends_at: null, reason: 'A contributor' }),
    ])
    const { licenses, charges } = await world.db.one<{ licenses: number; charges: number }>(sql`
      select count(*) as licenses, count(o.id) as charges from licenses l
        join users u on u.id = l.user_id left join orders o on o.license_id = l.id
      where u.email_normalized = ${email}`)
    assert.equal(licenses, 1)
    const { count: taken } = await billing.summarizeReceipts(world.db, {
      user_id: (await identity.findByEmail(world.db, email))!.id,
      app_id,
    })
    assert.equal(taken, charges)
  }
})

test('giving to an email that an account with a license takes at that moment gives nothing', async () => {
  const { world } = service
  const { db } = world
  const app_id = service.demo.app.client_id
  const { license_id } = await give()
  const { user_id } = await licensing.getLicense(db, license_id)
  const wanted = identity.readEmail('taken-now@example.com')!
  const gift = { app_id, ...wanted, product_id: plans.get('Pro')!, ends_at: null, reason: 'Thanks' }
  const actor = await sellerActor(service)
  const begun = Promise.withResolvers<void>()
  const giving = begun.promise.then(() => givePlan(world, actor, gift))
  await db.tx(async (tx) => {
    await identity.setEmail(tx, { user_id, ...wanted })
    begun.resolve()
    await untilBlocked(tx, db)
  })
  const given = await giving
  assert.ok(given.outcome === 'owned')
  assert.equal(given.license.license_id, license_id)
})
