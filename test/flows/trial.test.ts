import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { readLanguages } from '#platform/language/languages'
import { sql } from '#platform/sql'
import { type Agent, textOf } from '../support/agent.ts'
import { addApp, type OtherApp } from '../support/apps.ts'
import { CARD } from '../support/cards.ts'
import { assertInvariants } from '../support/invariants.ts'
import { forceStatus } from '../support/licenses.ts'
import {
  basic,
  buyer,
  chargedAmounts,
  enterCard,
  licenseKey,
  orderReference,
  TEXAS,
} from '../support/purchase.ts'
import { openTestService, type TestService } from '../support/service.ts'

let service: TestService
before(async () => {
  service = await openTestService()
})
after(() => service.close())

let names = 0
const fresh = () => `trial-${names++}@example.com`
const addTrialApp = (facts: { trial_days?: number; frequency?: 'year' | null } = {}) =>
  addApp(service, { slug: `trial-${names++}`, trial_days: 14, ...facts })

const START = 'Start free trial'
const buttonOf = (agent: Agent) => /Pay \$[\d.,]+|Start free trial/.exec(agent.text)?.[0]

/** Opens the confirmation page of an app's plan. */
async function goToTrialConfirm(
  app: OtherApp,
  email: string,
  card?: string,
  agent = buyer(service),
) {
  await agent.open(`/buy/${app.price_id}/`)
  await agent.submit('Continue', { email, ...TEXAS })
  await enterCard(agent, card)
  return agent
}

const lookUp = async (app: OtherApp, agent: Agent) =>
  (
    await service.app.inject({
      url: `/api/v1/orders/${orderReference(agent.page)}`,
      headers: basic(service, app),
    })
  ).json()

const cancel = (email: string) => forceStatus(service, 'canceled', { email })

describe('a trial', () => {
  test('of one day is named in the singular, in each language', async () => {
    const app = await addTrialApp({ trial_days: 1 })
    const agent = buyer(service)
    await agent.open(`/buy/${app.price_id}/`)
    assert.match(agent.text, /Starts with 1 day free\./)
    await goToTrialConfirm(app, fresh(), undefined, agent)
    assert.match(agent.text, /Free for 1 day\. Then/)
    const { t } = readLanguages().named('es')
    const facts = { days: 1, cost: '$5.25', day: '1 de marzo', renewal: '' }
    assert.match(t('checkout.after_trial', facts), /^Gratis durante 1 día\./)
    assert.match(t('checkout.trial_first', facts), /^Comienza con 1 día gratis\./)
  })

  test('starts with a verified card and no charge, and lasts to its last day', async () => {
    const app = await addTrialApp()
    const email = fresh()
    const agent = await goToTrialConfirm(app, email)
    assert.match(agent.text, /Free for 14 days\. Then \$5\.25 per month/)
    assert.match(agent.text, /First charge: March 24, 2026\. Cancel anytime\./)
    await agent.submit(START)
    assert.match(agent.text, /Your free trial has started/)
    const state = await lookUp(app, agent)
    assert.deepEqual(
      [state.status, state.entitled, state.period_end, state.canceled_at],
      ['trialing', true, '2026-03-24', null],
    )
    assert.equal(state.license_key, licenseKey(agent.page))
    assert.deepEqual(await chargedAmounts(service, email), [0])
    const books =
      await service.world.db.one(sql`select i.amount + i.tax as charged, i.fee, i.commission, i.number,
        (select count(*) from charges where invoice_id = i.id) as charges,
        (select count(*) from ledger_transactions where subject = i.id) as postings,
        s.period_index, s.anchor = s.period_end as anchored_at_its_end, s.auto_renew
      from orders o join subscriptions s on s.license_id = o.license_id
        join invoices i on i.id = o.invoice_id
      where o.license_id = ${state.license_id}`)
    assert.deepEqual(books, {
      charged: 0,
      fee: 0,
      commission: 0,
      number: null,
      charges: 0,
      postings: 0,
      period_index: 0,
      anchored_at_its_end: true,
      auto_renew: true,
    })
  })

  test('needs a card that the bank verifies', async () => {
    const app = await addTrialApp()
    const email = fresh()
    const agent = await goToTrialConfirm(app, email, '4000000000000002')
    await agent.submit(START)
    assert.match(agent.text, /Your card was declined/)
    service.clock.pass(1)
    await agent.press('Use another card')
    // This one can be verified, although every charge of it is declined later.
    await enterCard(agent, '4000000000000341')
    await agent.submit(START)
    assert.match(agent.text, /Your free trial has started/)
    assert.deepEqual(await chargedAmounts(service, email), [0])
  })

  test('passes 3-D Secure like a purchase', async () => {
    const app = await addTrialApp()
    const email = fresh()
    const agent = await goToTrialConfirm(app, email, '4000002760003184')
    await agent.submit(START)
    assert.match(agent.text, /to verify the card/)
    await agent.submit('Complete authentication')
    assert.match(agent.text, /Your free trial has started/)
    assert.deepEqual(await chargedAmounts(service, email), [0])
  })

  test('is recognized by the buy link, like every license', async () => {
    const app = await addTrialApp()
    const agent = await goToTrialConfirm(app, fresh())
    await agent.submit(START)
    assert.match((await agent.open(`/buy/${app.price_id}/`)).url, /\/login\?svc_order=/)
  })

  test('lasts as long as its product says, up to ninety days', async () => {
    for (const [trial_days, end] of [
      [1, '2026-03-11'],
      [30, '2026-04-09'],
      [90, '2026-06-08'],
    ] as const) {
      const app = await addTrialApp({ trial_days, frequency: 'year' })
      const agent = await goToTrialConfirm(app, fresh(), '5555555555554444')
      await agent.submit(START)
      assert.equal((await lookUp(app, agent)).period_end, end)
    }
  })

  test('is offered by the product page for recurring prices only', async () => {
    const labelOf = async (slug: string, frequency: 'year' | null) => {
      const facts = { slug, frequency, trial_days: 14, listing_mode: 'marketplace' as const }
      await addApp(service, facts)
      const visitor = buyer(service)
      await visitor.open(`/apps/${slug}/`)
      return /(Buy|Try) Harbor Pro( yearly)?/.exec(visitor.text)?.[0]
    }
    assert.equal(await labelOf('rents', 'year'), 'Try Harbor Pro yearly')
    assert.equal(await labelOf('sells', null), 'Buy Harbor Pro')
  })

  test('does not apply to a one-time purchase', async () => {
    const app = await addTrialApp({ frequency: null })
    const email = fresh()
    const agent = await goToTrialConfirm(app, email)
    assert.equal(buttonOf(agent), 'Pay $5.25')
    assert.doesNotMatch(agent.text, /free trial/i)
    await agent.submit(/^Pay /)
    assert.equal((await lookUp(app, agent)).status, 'one_time_active')
    assert.deepEqual(await chargedAmounts(service, email), [525])
  })
})

// R4: asked from the buyer's side (bench/growth.ts)
describe('a second trial of the same app is sold at full price', () => {
  const used = async () => {
    const app = await addTrialApp()
    const email = fresh()
    const agent = await goToTrialConfirm(app, email)
    await agent.submit(START)
    await cancel(email)
    return { app, email, agent }
  }

  test('for the same account', async () => {
    const { app, email, agent } = await used()
    await goToTrialConfirm(app, email, '5555555555554444', agent)
    assert.equal(buttonOf(agent), 'Pay $5.25')
    await agent.submit(/^Pay /)
    assert.deepEqual(await chargedAmounts(service, email), [0, 525])
    assert.equal((await lookUp(app, agent)).status, 'active')
  })

  test('for the same email in another spelling', async () => {
    const { app, email, agent } = await used()
    await goToTrialConfirm(app, email.toUpperCase(), '5555555555554444', agent)
    assert.equal(buttonOf(agent), 'Pay $5.25')
  })

  test('for the same card with another email', async () => {
    const { app } = await used()
    const email = fresh()
    const agent = await goToTrialConfirm(app, email)
    assert.equal(buttonOf(agent), 'Pay $5.25')
    await agent.submit(/^Pay /)
    assert.deepEqual(await chargedAmounts(service, email), [525])
  })

  test('for the same card with another email, when both are confirmed at once', async () => {
    const app = await addTrialApp()
    const emails = [fresh(), fresh()] as const
    const [one, two] = [
      await goToTrialConfirm(app, emails[0], CARD.asks_always),
      await goToTrialConfirm(app, emails[1], CARD.asks_always),
    ]
    await one.submit(START)
    await two.submit(START)
    await Promise.all([
      one.submit('Complete authentication'),
      two.submit('Complete authentication'),
    ])
    const second = buttonOf(one) === 'Pay $5.25' ? one : two
    assert.deepEqual([one, two].map((agent) => /License key/.test(agent.text)).sort(), [
      false,
      true,
    ])
    assert.match(second.text, /Your order has changed/)
    await second.submit(/^Pay /)
    await second.submit('Complete authentication')
    assert.match(second.text, /License key/)
    assert.equal((await lookUp(app, second)).status, 'active')
  })

  test('and the page says so before the buyer pays, as soon as the card is known', async () => {
    const { app } = await used()
    const agent = buyer(service)
    await agent.open(`/buy/${app.price_id}/`)
    const page = await agent.submit('Continue', { email: fresh(), ...TEXAS })
    // The card page is drawn before the card is known; nothing is agreed to there.
    assert.match(textOf(page.body), /Nothing is charged yet/)
    await enterCard(agent)
    assert.equal(buttonOf(agent), 'Pay $5.25')
    assert.match(agent.text, /No free trial for this order/)
  })

  test('but a visitor who enters that email learns of it only once they have signed in', async () => {
    const { app, email, agent } = await used()
    const visitor = buyer(service)
    await visitor.open(`/buy/${app.price_id}/`)
    await visitor.submit('Continue', { email, ...TEXAS })
    assert.match(visitor.text, /already has an account/)
    assert.match(visitor.text, /Free for 14 days/)
    await visitor.open(visitor.page.url.replace('sign-in', 'card'))
    await enterCard(visitor, '5555555555554444')
    assert.equal(buttonOf(visitor), START)
    await visitor.submit(START)
    assert.match(visitor.text, /already has an account/)
    const sign_in = visitor.page.url
    visitor.cookies.set('__Host-session', agent.cookies.get('__Host-session')!)
    await visitor.open(sign_in)
    await visitor.open(sign_in.replace('sign-in', 'confirm'))
    assert.equal(buttonOf(visitor), 'Pay $5.25')
    assert.deepEqual(await chargedAmounts(service, email), [0])
  })

  test('but another card and email, and another app, get a trial', async () => {
    const { app, email, agent } = await used()
    const first = await goToTrialConfirm(app, fresh(), '5555555555554444')
    assert.equal(buttonOf(first), START)
    assert.doesNotMatch(first.text, /No free trial/)
    const other = await addTrialApp()
    await service.world.db.run(sql`update sessions set app_id = null
      where user_id = (select id from users where email_normalized = ${email})`)
    await goToTrialConfirm(other, email, '4242424242424242', agent)
    assert.equal(buttonOf(agent), START)
  })
})

test('preserves every invariant', () => assertInvariants(service))
