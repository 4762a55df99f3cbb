import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import * as apps from '#domain/apps'
import { cents } from '#platform/money'
import { sql } from '#platform/sql'
import { signUp } from '../support/account.ts'
import { mainButtons, textOf } from '../support/agent.ts'
import { changePrice } from '../support/apps.ts'
import { CARD } from '../support/cards.ts'
import { assertInvariantsAndClose } from '../support/invariants.ts'
import { forceStatus } from '../support/licenses.ts'
import { declineFromNowOn, manage, pageText, passDaysOf, twoPlans } from '../support/manage-page.ts'
import { buyer, chargedAmounts, licenseKey } from '../support/purchase.ts'
import { openTestService, type TestService } from '../support/service.ts'
import { stateOf, subscribe } from '../support/subscriber.ts'

let service: TestService
before(async () => {
  service = await openTestService()
  await service.world.jobs.start()
})
after(() => assertInvariantsAndClose(service))

const NEW_CARD = { expiry: '12/31', cvc: '123', zip: '78701' }

describe('the manage page', () => {
  test('shows plan, next charge to the cent, card, key and receipts', async () => {
    const subscriber = await subscribe(service, { app: await twoPlans(service) })
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

  test('still shows the key of a canceled license, and that it no longer works', async () => {
    const subscriber = await subscribe(service, { app: await twoPlans(service) })
    const { agent, license_id, license_key } = subscriber
    await forceStatus(service, 'canceled', { license_id })
    await agent.open(manage(subscriber))
    assert.equal(licenseKey(agent.page), license_key)
    assert.match(pageText(agent), /This key no longer works/)
    assert.doesNotMatch(pageText(agent), /[Rr]eplace (the|your) key/)
  })

  test('asks for another card if this one expires before the next charge', async () => {
    const subscriber = await subscribe(service, { app: await twoPlans(service) })
    const { agent, user_id } = subscriber
    const asks = /This card expires before the next charge/
    await agent.open(manage(subscriber))
    assert.doesNotMatch(pageText(agent), asks)
    await service.world.db.run(sql`update cards set exp_month = 3, exp_year = 2026
      where user_id = ${user_id}`)
    await agent.open(manage(subscriber))
    assert.match(pageText(agent), asks)
    const setAmount = (amount: number) =>
      service.world.db.run(sql`update subscriptions set amount = ${amount}
        where license_id = ${subscriber.license_id}`)
    await setAmount(10)
    await agent.open(manage(subscriber))
    assert.doesNotMatch(pageText(agent), asks, 'a charge that is waived does not fail')
    await setAmount(1000)
    await agent.open(manage(subscriber))
    await agent.press('Cancel subscription')
    await agent.submit('Cancel subscription')
    await agent.open(manage(subscriber))
    assert.doesNotMatch(pageText(agent), asks)
  })

  test('keeps its return address through every step, and leads back there', async () => {
    const app = await twoPlans(service, { url: 'https://harbor.example' })
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
      ['Cancel pause', 'Cancel pause'],
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
    const subscriber = await subscribe(service, { app: await twoPlans(service) })
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
    const subscriber = await subscribe(service, { app: await twoPlans(service) })
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
    const app = await twoPlans(service)
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

  test('links to the plans only while the app has a product page', async () => {
    const app = await twoPlans(service)
    const { agent } = await signUp(service)
    await agent.open(manage({ app }))
    assert.match(pageText(agent), /No purchase of Harbor .*View plans/)
    await service.world.db.run(sql`update apps set suspended_at = ${service.clock.now()}
      where id = ${app.client_id}`)
    await agent.open(manage({ app }))
    assert.match(pageText(agent), /No purchase of Harbor/)
    assert.doesNotMatch(pageText(agent), /View plans/)
  })
})

describe('another plan', () => {
  test('that is more expensive costs exactly the cents that are shown', async () => {
    const app = await twoPlans(service)
    const subscriber = await subscribe(service, { app })
    const { agent, email } = subscriber
    await passDaysOf(service, app, 10)
    await agent.open(manage(subscriber))
    await agent.press('Change plan')
    assert.match(pageText(agent), /Your plan/)
    await agent.press('Choose')
    const [, shown] = /Pay \$(\d+\.\d\d) and upgrade/.exec(pageText(agent))!
    assert.match(pageText(agent), /Unused time on Harbor Pro/)
    await agent.submit(/^Pay /)
    assert.match(pageText(agent), /Plan changed/)
    assert.match(pageText(agent), /Harbor Fleet/)
    assert.deepEqual(await chargedAmounts(service, email), [1050, Math.round(Number(shown) * 100)])
    assert.equal(licenseKey(agent.page), subscriber.license_key)
  })

  // F23
  test('is shown with its tax to the cent, where it is chosen and where it is agreed to', async () => {
    const app = await twoPlans(service, { amount: cents(3000), other: cents(1200) })
    const subscriber = await subscribe(service, { app })
    const { agent } = subscriber
    await agent.open(`${manage(subscriber)}plan/`)
    assert.match(pageText(agent), /\$12\.60 with sales tax/)
    await agent.press('Choose')
    assert.match(pageText(agent), /Renews at \$12\.60 \(\$12\.00 and \$0\.60 sales tax\) per month/)
    assert.doesNotMatch(pageText(agent), /plus sales tax/)
  })

  test('that ends a trial says so before it charges, and is not called an upgrade', async () => {
    const app = await twoPlans(service, { trial_days: 14, other: cents(500) })
    const subscriber = await subscribe(service, { app })
    const { agent } = subscriber
    await agent.open(`${manage(subscriber)}plan/${app.other_id}/`)
    assert.match(pageText(agent), /Your trial ends and Harbor Fleet starts immediately/)
    assert.match(pageText(agent), /Pay \$5\.25 and change plan/)
    assert.doesNotMatch(pageText(agent), /upgrade/)
  })

  test('is chosen beside the current and the scheduled one at their agreed prices', async () => {
    const app = await twoPlans(service, { other: cents(500) })
    const subscriber = await subscribe(service, { app })
    const { agent } = subscriber
    await agent.open(`${manage(subscriber)}plan/${app.other_id}/`)
    await agent.submit(/^Change/)
    await service.world.db.run(sql`update prices set amount = amount * 2
      where id in (${app.price_id}, ${app.other_id})`)
    await agent.open(`${manage(subscriber)}plan/`)
    assert.match(pageText(agent), /\$10\.00 per month \$10\.50 with sales tax Your plan/)
    assert.match(pageText(agent), /\$5\.00 per month \$5\.25 with sales tax Scheduled/)
  })

  test('is offered where it is the only one sold, after the buyer’s own was removed', async () => {
    const app = await twoPlans(service)
    const subscriber = await subscribe(service, { app })
    const { agent } = subscriber
    const now = service.clock.now()
    await service.world.db.run(
      sql`update prices set deleted_at = ${now} where id = ${app.price_id}`,
    )
    await agent.open(manage(subscriber))
    await agent.press('Change plan')
    await agent.press('Choose')
    assert.match(pageText(agent), /Pay \$21\.00 and upgrade/)
    await service.world.db.run(
      sql`update prices set deleted_at = ${now} where id = ${app.other_id}`,
    )
    await agent.open(manage(subscriber))
    assert.doesNotMatch(pageText(agent), /Change plan/)
  })

  // M1
  test('with an amount below the minimum starts without a charge, and says so', async () => {
    const app = await twoPlans(service, { other: cents(1015) })
    const subscriber = await subscribe(service, { app })
    const { agent, email } = subscriber
    await agent.open(`${manage(subscriber)}plan/${app.other_id}/`)
    assert.match(pageText(agent), /Waived \(below the minimum charge\) -?.?\$0\.16/)
    await agent.submit('Change to Harbor Fleet')
    assert.match(pageText(agent), /Plan changed/)
    assert.deepEqual(await chargedAmounts(service, email), [1050])
  })

  test('whose charge is declined changes nothing, and says why', async () => {
    const app = await twoPlans(service)
    const subscriber = await subscribe(service, { app })
    const { agent, email } = subscriber
    await declineFromNowOn(service, subscriber)
    await agent.open(`${manage(subscriber)}plan/${app.other_id}/`)
    await agent.submit(/^Pay /)
    assert.match(pageText(agent), /Your card was declined/)
    assert.match(pageText(agent), /does not have enough funds/)
    assert.match(agent.page.url, new RegExp(`/plan/${app.other_id}/`))
    assert.deepEqual(await chargedAmounts(service, email), [1050])
  })

  test('whose charge is declined has another card as its main action', async () => {
    const app = await twoPlans(service)
    const subscriber = await subscribe(service, { app })
    const { agent } = subscriber
    await declineFromNowOn(service, subscriber)
    await agent.open(`${manage(subscriber)}plan/${app.other_id}/`)
    assert.match(mainButtons(agent.page.body).join(), /^Pay [^,]*$/)
    await agent.submit(/^Pay /)
    assert.match(mainButtons(agent.page.body).join(), /^Use another card$/)
    await agent.submit('Use another card')
    await agent.submit('Save this card', { number: CARD.mastercard, ...NEW_CARD })
    await agent.open(`${manage(subscriber)}plan/${app.other_id}/`)
    await agent.submit(/^Pay /)
    assert.match(pageText(agent), /Plan changed/)
  })

  test('whose bank asks its owner is there after the bank’s page', async () => {
    const app = await twoPlans(service)
    const subscriber = await subscribe(service, { app })
    const { agent, email } = subscriber
    await service.world.db.run(sql`update sandbox.cards set behavior = 'challenges_always'
      where token in (select token from cards where user_id = ${subscriber.user_id})`)
    await agent.open(`${manage(subscriber)}plan/${app.other_id}/`)
    await agent.submit(/^Pay /)
    assert.match(pageText(agent), /Confirm that it is you/)
    await agent.submit('Complete authentication')
    assert.match(pageText(agent), /Plan changed/)
    assert.equal((await chargedAmounts(service, email)).length, 2)
  })

  test('names the card that it charges, and can use another one first', async () => {
    const app = await twoPlans(service, { other: cents(400) })
    const subscriber = await subscribe(service, { app, card: CARD.mastercard })
    const { agent } = subscriber
    await agent.open(`${manage(subscriber)}plan/${app.other_id}/`)
    assert.match(pageText(agent), /Card Mastercard ending in 4444/)
    assert.deepEqual(mainButtons(agent.page.body), ['Change on April 10, 2026'])
    await agent.submit('Use another card')
    await agent.submit('Save this card', { number: '4242424242424242', ...NEW_CARD })
    await agent.open(`${manage(subscriber)}plan/${app.other_id}/`)
    assert.match(pageText(agent), /Card Visa ending in 4242/)
  })

  test('that was changed meanwhile is shown again, and nothing is charged', async () => {
    const app = await twoPlans(service)
    const subscriber = await subscribe(service, { app })
    const { agent, email } = subscriber
    await agent.open(`${manage(subscriber)}plan/${app.other_id}/`)
    await changePrice(service, { id: app.other_id, amount: cents(3100) })
    await agent.submit(/^Pay /)
    assert.match(pageText(agent), /Your order has changed/)
    assert.match(pageText(agent), /\$31\.00/)
    assert.deepEqual(await chargedAmounts(service, email), [1050])
  })

  test('that is cheaper is planned for the period’s end, and can be taken back', async () => {
    const app = await twoPlans(service, { other: cents(400) })
    const subscriber = await subscribe(service, { app })
    const { agent, email } = subscriber
    await agent.open(`${manage(subscriber)}plan/${app.other_id}/`)
    assert.match(pageText(agent), /Nothing is due today/)
    await agent.submit('Change on April 10, 2026')
    assert.match(pageText(agent), /Changes to Harbor Fleet, \$4\.00 per month/)
    assert.match(pageText(agent), /Next charge \$4\.20 on April 10, 2026/)
    await agent.submit('Keep my plan')
    assert.match(pageText(agent), /Next charge \$10\.50/)
    assert.deepEqual(await chargedAmounts(service, email), [1050])
  })

  test('that took effect cannot be canceled on a page from before, and the page says so', async () => {
    const app = await twoPlans(service, { other: cents(500) })
    const subscriber = await subscribe(service, { app })
    const { agent, email } = subscriber
    await agent.open(`${manage(subscriber)}plan/${app.other_id}/`)
    await agent.submit(/^Change/)
    await passDaysOf(service, app, 32)
    await agent.submit('Keep my plan')
    assert.match(pageText(agent), /The plan change can no longer be canceled/)
    assert.match(pageText(agent), /Plan Harbor Fleet/)
    assert.deepEqual(await chargedAmounts(service, email), [1050, 525])
    // Where it is still scheduled, canceling it twice keeps the plan.
    await agent.open(`${manage(subscriber)}plan/${app.price_id}/`)
    await agent.submit(/^Pay /)
    await agent.open(`${manage(subscriber)}plan/${app.other_id}/`)
    await agent.submit(/^Change/)
    const twice = agent.tab()
    for (const tab of [agent, twice]) {
      await tab.submit('Keep my plan')
      assert.match(pageText(tab), /Plan change canceled/)
    }
  })

  test('is not offered for a price of another app, or the current one', async () => {
    const app = await twoPlans(service)
    const subscriber = await subscribe(service, { app })
    const { agent } = subscriber
    for (const id of [service.demo.app.prices[0]!.public_id, app.price_id, 'prc_x']) {
      assert.match((await agent.open(`${manage(subscriber)}plan/${id}/`)).url, /\/plan\/$/)
    }
  })
})
