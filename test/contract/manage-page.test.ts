import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import * as apps from '#domain/apps'
import * as catalog from '#domain/catalog'
import { mintId } from '#platform/ids'
import { type Cents, cents } from '#platform/money'
import { sql } from '#platform/sql'
import { signUp } from '../support/account.ts'
import { type Agent, textOf } from '../support/agent.ts'
import type { OtherApp } from '../support/apps.ts'
import { closeSound } from '../support/invariants.ts'
import { buyer, enterCard, licenseKey, TEXAS, takenFrom } from '../support/purchase.ts'
import { openTestService, type TestService } from '../support/service.ts'
import {
  CARD,
  DAY,
  otherApp,
  runDue,
  type Subscriber,
  stateOf,
  subscribe,
} from '../support/subscriber.ts'

let service: TestService
before(async () => {
  service = await openTestService()
  await service.world.jobs.start()
})
after(() => closeSound(service))

/** An app with a plan at $10.00 a month and a second, by default more expensive one. */
async function twoPlans(facts: Parameters<typeof otherApp>[1] & { other?: Cents } = {}) {
  const { other = cents(3000), ...rest } = facts
  const app = await otherApp(service, { amount: cents(1000), ...rest })
  const { db, clock, random } = service.world
  const product_id = mintId(random, 'prod')
  const plan = { name: 'Harbor Fleet', description: '', is_free: false, position: 1 }
  await catalog.addProduct(db, clock.now(), {
    ...plan,
    id: product_id,
    app_id: app.client_id,
    trial_days: 0,
  })
  const other_id = mintId(random, 'prc')
  const price = { id: other_id, product_id, amount: other, frequency: 'month' as const }
  await catalog.addPrice(db, clock.now(), price)
  return { ...app, other_id }
}

const manage = ({ app }: Pick<Subscriber, 'app'>) => `/manage/${app.client_id}/`
const pageText = (agent: Agent) => textOf(agent.page.body).replaceAll(/ ([,.])/g, '$1')

/** Lets days pass for one app, day by day, so that a browser's session does not expire. */
async function passDays(app: OtherApp, days: number) {
  const { db } = service.world
  const { clock_ahead } = (await apps.find(db, app.client_id))!
  for (let day = 1; day <= days; day++) {
    await apps.setClockAhead(db, app.client_id, clock_ahead + day * DAY)
    await runDue(service)
  }
}

/** The bank declines a card from now on. */
async function declineFromNowOn({ user_id }: Subscriber) {
  await service.world.db.run(sql`update sandbox.cards
    set behavior = 'declines_insufficient_funds'
    where token in (select token from cards where user_id = ${user_id})`)
}

const NEW_CARD = { expiry: '12/31', cvc: '123', zip: '78701' }

describe('the manage page', () => {
  test('shows plan, next charge to the cent, card, key and receipts', async () => {
    const subscriber = await subscribe(service, { app: await twoPlans() })
    const { agent } = subscriber
    await agent.open(manage(subscriber))
    const text = pageText(agent)
    assert.match(text, /Harbor Pro/)
    assert.match(text, /Next charge \$10\.50 on April 10, 2026/)
    assert.match(text, /\$10\.00 plus \$0\.50 sales tax \(TX\)/)
    assert.match(text, /Visa ending in 4242/)
    assert.match(text, /12\/30/)
    assert.match(text, /Receipts Harbor Pro, purchase March 10, 2026 \$10\.50/)
    assert.equal(licenseKey(agent.page), subscriber.license_key)
  })

  test('keeps its return address through every step, and leads back there', async () => {
    const app = await twoPlans({ url: 'https://harbor.example' })
    await apps.setAllowsPause(service.world.db, app.client_id, true)
    const subscriber = await subscribe(service, { app })
    const { agent } = subscriber
    const next = 'https://harbor.example/app?tab=2'
    const leadsBack = () => agent.page.body.includes('href="https://harbor.example/app?tab=2"')
    await agent.open(`${manage(subscriber)}?next=${encodeURIComponent(next)}`)
    assert.ok(leadsBack())
    for (const [link, button] of [
      ['Cancel subscription', 'Cancel subscription'],
      ['Keep my subscription', 'Keep my subscription'],
      ['Pause', /^Pause on/],
      ['Do not pause', 'Cancel pause'],
    ] as const) {
      await agent.press(link)
      await agent.submit(button)
      assert.ok(leadsBack(), `${link} lost the way back`)
      // After a cancellation the main button keeps the subscription.
      const main = link === 'Cancel subscription' ? 'Keep my subscription' : 'Change plan'
      assert.match(agent.page.body, new RegExp(`btn-primary[^>]*>${main}<`))
    }
    await agent.submit('Resend receipt email')
    assert.ok(leadsBack())
    await agent.press('Change plan')
    await agent.press('Choose')
    await agent.submit(/^Pay /)
    assert.ok(leadsBack())
    await agent.submit('Update card')
    await agent.submit('Save this card', { number: CARD.mastercard, ...NEW_CARD })
    assert.ok(leadsBack())
  })

  test('names the wait of a receipt that was asked for too often', async () => {
    const subscriber = await subscribe(service)
    const { agent } = subscriber
    await agent.open(manage(subscriber))
    for (let count = 0; count < 5; count++) {
      await agent.submit('Resend receipt email')
      assert.match(pageText(agent), /We sent the receipt again/)
    }
    await agent.submit('Resend receipt email')
    assert.match(pageText(agent), /already sent several times\. Try again in (60|59) minutes/)
  })

  test('refuses a return address that is not the app’s, on every page under it', async () => {
    const subscriber = await subscribe(service, { app: await twoPlans() })
    const { agent } = subscriber
    for (const path of ['', 'plan/', 'auto-renew/', 'key/', 'card', 'resume']) {
      for (const next of ['https://elsewhere.example/', 'javascript:1', 'https://a.b/&next=x']) {
        const url = `${manage(subscriber)}${path}?next=${next}`
        const page = await agent.open(url)
        assert.equal(page.status, 400, url)
        assert.match(pageText(agent), /misconfigured/)
        assert.doesNotMatch(page.body, /elsewhere/)
      }
    }
  })

  test('answers 404 to another account, and refuses a form from another site', async () => {
    const subscriber = await subscribe(service, { app: await twoPlans() })
    const base = manage(subscriber)
    const { agent: other } = await signUp(service)
    assert.match(textOf((await other.open(base)).body), /No purchase of/)
    for (const path of ['plan/', 'auto-renew/', 'key/', 'card', 'resume']) {
      assert.equal((await other.open(base + path)).status, 404, path)
    }
    const before = await stateOf(service, subscriber)
    for (const path of ['auto-renew/', 'pause/', 'key/', 'card', 'pay', 'plan/keep', 'receipt']) {
      const answer = await service.app.inject({
        method: 'POST',
        url: base + path,
        headers: {
          cookie: subscriber.agent.cookie,
          accept: 'text/html',
          'content-type': 'application/x-www-form-urlencoded',
        },
        payload: 'to=off&csrf_token=x',
      })
      assert.equal(answer.statusCode, 403, path)
    }
    assert.deepEqual(await stateOf(service, subscriber), before)
  })

  test('asks to sign in, and still works after the app was withdrawn', async () => {
    const app = await twoPlans()
    const subscriber = await subscribe(service, { app })
    const other = buyer(service)
    assert.match((await other.open(manage(subscriber))).url, /^\/signin\//)
    const state = { is_published: false, external_sales_enabled: false }
    await apps.setOnSale(service.world.db, app.client_id, state)
    // F6: it asserted 404, so a buyer who was signed out could not cancel.
    assert.match((await other.open(manage(subscriber))).url, /^\/signin\//)
    assert.equal((await subscriber.agent.open(manage(subscriber))).status, 200)
    await subscriber.agent.press('Cancel subscription')
    await subscriber.agent.submit('Cancel subscription')
    assert.ok((await stateOf(service, subscriber)).canceled_at)
  })
})

describe('another plan', () => {
  test('that is more expensive costs exactly the cents that are shown', async () => {
    const app = await twoPlans()
    const subscriber = await subscribe(service, { app })
    const { agent, email } = subscriber
    await passDays(app, 10)
    await agent.open(manage(subscriber))
    await agent.press('Change plan')
    assert.match(pageText(agent), /Your plan/)
    await agent.press('Choose')
    const [, shown] = /Pay \$(\d+\.\d\d) and upgrade/.exec(pageText(agent))!
    assert.match(pageText(agent), /Unused time on Harbor Pro/)
    await agent.submit(/^Pay /)
    assert.match(pageText(agent), /Plan changed/)
    assert.match(pageText(agent), /Harbor Fleet/)
    assert.deepEqual(await takenFrom(service, email), [1050, Math.round(Number(shown) * 100)])
    assert.equal(licenseKey(agent.page), subscriber.license_key)
  })

  // F23
  test('is shown with its tax to the cent, where it is chosen and where it is agreed to', async () => {
    const app = await twoPlans({ amount: cents(3000), other: cents(1200) })
    const subscriber = await subscribe(service, { app })
    const { agent } = subscriber
    await agent.open(`${manage(subscriber)}plan/`)
    assert.match(pageText(agent), /\$12\.60 with sales tax/)
    await agent.press('Choose')
    assert.match(pageText(agent), /Renews at \$12\.60 \(\$12\.00 and \$0\.60 sales tax\) per month/)
    assert.doesNotMatch(pageText(agent), /plus sales tax/)
  })

  // M1
  test('for which too little is due starts without a charge, and says so', async () => {
    const app = await twoPlans({ other: cents(1015) })
    const subscriber = await subscribe(service, { app })
    const { agent, email } = subscriber
    await agent.open(`${manage(subscriber)}plan/${app.other_id}/`)
    assert.match(pageText(agent), /Waived \(below the minimum charge\) -?.?\$0\.16/)
    await agent.submit('Change to Harbor Fleet')
    assert.match(pageText(agent), /Plan changed/)
    assert.deepEqual(await takenFrom(service, email), [1050])
  })

  test('whose charge is declined changes nothing, and says why', async () => {
    const app = await twoPlans()
    const subscriber = await subscribe(service, { app })
    const { agent, email } = subscriber
    await declineFromNowOn(subscriber)
    await agent.open(`${manage(subscriber)}plan/${app.other_id}/`)
    await agent.submit(/^Pay /)
    assert.match(pageText(agent), /Your card was declined/)
    assert.match(pageText(agent), /does not have enough funds/)
    assert.match(agent.page.url, new RegExp(`/plan/${app.other_id}/`))
    assert.deepEqual(await takenFrom(service, email), [1050])
  })

  test('whose bank asks its owner is there after the bank’s page', async () => {
    const app = await twoPlans()
    const subscriber = await subscribe(service, { app })
    const { agent, email } = subscriber
    await service.world.db.run(sql`update sandbox.cards set behavior = 'challenges_always'
      where token in (select token from cards where user_id = ${subscriber.user_id})`)
    await agent.open(`${manage(subscriber)}plan/${app.other_id}/`)
    await agent.submit(/^Pay /)
    assert.match(pageText(agent), /Confirm that it is you/)
    await agent.submit('Complete authentication')
    assert.match(pageText(agent), /Plan changed/)
    assert.equal((await takenFrom(service, email)).length, 2)
  })

  test('that was changed meanwhile is shown again, and nothing is charged', async () => {
    const app = await twoPlans()
    const subscriber = await subscribe(service, { app })
    const { agent, email } = subscriber
    await agent.open(`${manage(subscriber)}plan/${app.other_id}/`)
    await catalog.setAmount(service.world.db, { id: app.other_id, amount: cents(3100) })
    await agent.submit(/^Pay /)
    assert.match(pageText(agent), /Your order has changed/)
    assert.match(pageText(agent), /\$31\.00/)
    assert.deepEqual(await takenFrom(service, email), [1050])
  })

  test('that is cheaper is planned for the period’s end, and can be taken back', async () => {
    const app = await twoPlans({ other: cents(400) })
    const subscriber = await subscribe(service, { app })
    const { agent, email } = subscriber
    await agent.open(`${manage(subscriber)}plan/${app.other_id}/`)
    assert.match(pageText(agent), /Nothing is due today/)
    await agent.submit('Change on April 10, 2026')
    assert.match(pageText(agent), /Changes to Harbor Fleet, \$4\.00 per month/)
    assert.match(pageText(agent), /Next charge \$4\.20 on April 10, 2026/)
    await agent.submit('Keep my plan')
    assert.match(pageText(agent), /Next charge \$10\.50/)
    assert.deepEqual(await takenFrom(service, email), [1050])
  })

  test('is not offered for a price of another app, or the current one', async () => {
    const app = await twoPlans()
    const subscriber = await subscribe(service, { app })
    const { agent } = subscriber
    for (const id of [service.demo.app.prices[0]!.public_id, app.price_id, 'prc_x']) {
      assert.match((await agent.open(`${manage(subscriber)}plan/${id}/`)).url, /\/plan\/$/)
    }
  })
})

describe('auto-renew and pauses', () => {
  test('off: the license stays until the day that is named, then ends; its receipts stay', async () => {
    const app = await twoPlans()
    const subscriber = await subscribe(service, { app })
    const { agent, email } = subscriber
    await agent.open(manage(subscriber))
    await agent.press('Cancel subscription')
    assert.match(pageText(agent), /You keep Harbor Pro until April 10, 2026/)
    await agent.submit('Cancel subscription')
    assert.match(pageText(agent), /Ends on April 10, 2026/)
    assert.equal((await stateOf(service, subscriber)).canceled_at, '2026-04-10')
    await passDays(app, 32)
    await agent.open(manage(subscriber))
    assert.match(pageText(agent), /This license has ended/)
    assert.match(agent.page.body, /\/invoices\/inv_\w+\.pdf/)
    await agent.press('Buy it again')
    await agent.submit('Continue', { email, ...TEXAS })
    await enterCard(agent)
    await agent.submit(/^Pay /)
    await agent.open(manage(subscriber))
    assert.notEqual(licenseKey(agent.page), subscriber.license_key)
    assert.equal(agent.page.body.match(/Receipt \(PDF\)/g)?.length, 2)
  })

  test('a pause begins where the seller allows it, and resumes for the sum that is named', async () => {
    const app = await twoPlans()
    const subscriber = await subscribe(service, { app })
    const { agent, email } = subscriber
    await agent.open(manage(subscriber))
    assert.doesNotMatch(pageText(agent), /Pause/)
    await apps.setAllowsPause(service.world.db, app.client_id, true)
    await agent.open(manage(subscriber))
    await agent.press('Pause')
    await agent.submit(/^Pause on/)
    await passDays(app, 40)
    await agent.open(manage(subscriber))
    assert.match(pageText(agent), /You paused this license/)
    await agent.submit('Resume for $10.50')
    assert.equal((await stateOf(service, subscriber)).status, 'active')
    assert.deepEqual(await takenFrom(service, email), [1050, 1050])
  })
})

describe('the key', () => {
  test('is replaced for a verified email: the old key is revoked, once per form', async () => {
    const app = await twoPlans()
    const { agent, email } = await signUp(service)
    await agent.open(`/buy/${app.price_id}/`)
    await agent.submit('Continue', { email, ...TEXAS })
    await enterCard(agent)
    await agent.submit(/^Pay /)
    const before = licenseKey(agent.page)
    await agent.open(manage({ app }))
    await agent.press('Replace the key')
    const twice = agent.twin()
    await agent.submit('Replace the key now')
    const after = licenseKey(agent.page)
    assert.notEqual(after, before)
    assert.match(pageText(agent), /This is your new key/)
    await twice.submit('Replace the key now')
    assert.equal(licenseKey(twice.page), after)
    const { actor } = await service.world.db.one<{ actor: string }>(sql`select actor
      from audit_log where action = 'license.key_rotated'`)
    assert.match(actor, /^usr_/)
  })

  test('is not replaced in a session that saw only the purchase', async () => {
    const subscriber = await subscribe(service, { app: await twoPlans() })
    const { agent } = subscriber
    await agent.open(manage(subscriber))
    assert.doesNotMatch(pageText(agent), /Replace the key/)
    assert.equal((await agent.open(`${manage(subscriber)}key/`)).url, manage(subscriber))
  })
})

describe('the card', () => {
  test('a renewal that failed is paid with another one at once: the same key is active', async () => {
    const app = await twoPlans()
    const subscriber = await subscribe(service, { app, card: CARD.never_renews })
    const { agent, email } = subscriber
    await passDays(app, 31)
    await agent.open(manage(subscriber))
    const text = pageText(agent)
    assert.match(text, /Your last payment failed/)
    assert.match(text, /declined this card/)
    assert.match(text, /We retry automatically on April 11, 2026/)
    assert.match(text, /If not paid by May 1, 2026, the license ends/)
    await declineFromNowOn(subscriber)
    await agent.submit('Pay $10.50 now')
    assert.match(pageText(agent), /Your card was declined/)
    await agent.submit('Update your card')
    await agent.submit('Save this card', { number: CARD.mastercard, ...NEW_CARD })
    assert.match(pageText(agent), /The payment went through/)
    assert.match(pageText(agent), /Mastercard ending in 4444/)
    assert.equal((await stateOf(service, subscriber)).status, 'active')
    assert.equal(licenseKey(agent.page), subscriber.license_key)
    assert.deepEqual(await takenFrom(service, email), [1050, 1050])
  })

  test('stays as it was without a new one, and where the new one is from abroad', async () => {
    const subscriber = await subscribe(service, { app: await twoPlans() })
    const { agent } = subscriber
    await agent.open(manage(subscriber))
    await agent.submit('Update card')
    await agent.press('Back to your plan')
    assert.match(pageText(agent), /The card on file was not changed/)
    await agent.submit('Update card')
    await agent.submit('Save this card', { number: '4000001240000000', ...NEW_CARD })
    assert.match(pageText(agent), /This card cannot be used here/)
    assert.match(pageText(agent), /Visa ending in 4242/)
  })

  test('of a visit to the portal is taken in the session that went there, and once', async () => {
    const subscriber = await subscribe(service, { app: await twoPlans() })
    const { agent } = subscriber
    await agent.open(manage(subscriber))
    const stale = agent.twin()
    await agent.submit('Update card')
    await agent.submit('Save this card', { number: CARD.mastercard, ...NEW_CARD })
    assert.match(pageText(agent), /Future charges use this card/)
    await stale.open(`${manage(subscriber)}card`)
    assert.equal(stale.page.url, manage(subscriber))
  })

  test('canceling a license drops what is owed', async () => {
    const app = await twoPlans()
    const subscriber = await subscribe(service, { app, card: CARD.never_renews })
    const { agent, email } = subscriber
    await passDays(app, 31)
    await agent.open(manage(subscriber))
    await agent.press('Cancel subscription')
    assert.match(pageText(agent), /The \$10\.50 is no longer due/)
    await agent.submit('Cancel now')
    // The end is mentioned once, and an ended license shows no price.
    assert.equal(pageText(agent).match(/license has ended/gi)?.length, 1)
    assert.doesNotMatch(pageText(agent), /per month/)
    assert.equal((await stateOf(service, subscriber)).status, 'canceled')
    assert.deepEqual(await takenFrom(service, email), [1050])
  })
})

test('the portal lists every purchase with what comes next of it', async () => {
  const { agent, email } = await signUp(service)
  const trial = await twoPlans({ trial_days: 14 })
  const once = await otherApp(service, { frequency: null, amount: cents(900) })
  for (const app of [trial, once]) {
    await agent.open(`/buy/${app.price_id}/`)
    await agent.submit('Continue', { email, ...TEXAS })
    await enterCard(agent)
    await agent.submit(/^(Pay|Start) /)
  }
  await agent.open('/account/')
  assert.match(pageText(agent), /First charge \$10\.50 on March 24, 2026/)
  assert.match(pageText(agent), /Lifetime/)
})
