import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import * as apps from '#domain/apps'
import * as billing from '#domain/billing'
import * as payments from '#domain/payments'
import { addDays } from '#platform/calendar'
import { cents } from '#platform/money'
import { sql } from '#platform/sql'
import { handleEvents } from '#surfaces/processor-events/worker'
import { signUp } from '../support/account.ts'
import { mainButtons } from '../support/agent.ts'
import { CARD } from '../support/cards.ts'
import { addPlan } from '../support/discount-purchases.ts'
import { bankSandbox } from '../support/disputes.ts'
import { assertInvariantsAndClose } from '../support/invariants.ts'
import { assertContains, emailTo } from '../support/mailbox.ts'
import { declineFromNowOn, manage, pageText, passDaysOf, twoPlans } from '../support/manage-page.ts'
import { chargedAmounts, enterCard, licenseKey, TEXAS } from '../support/purchase.ts'
import { openTestService, type TestService } from '../support/service.ts'
import { otherApp, stateOf, subscribe } from '../support/subscriber.ts'

let service: TestService
before(async () => {
  service = await openTestService()
  await service.world.jobs.start()
})
after(() => assertInvariantsAndClose(service))

const NEW_CARD = { expiry: '12/31', cvc: '123', zip: '78701' }

describe('auto-renew and pauses', () => {
  test('off: the license stays until the day that is named, then ends; its receipts stay', async () => {
    const app = await twoPlans(service)
    const subscriber = await subscribe(service, { app })
    const { agent, email } = subscriber
    await agent.open(manage(subscriber))
    await agent.press('Cancel subscription')
    assert.match(pageText(agent), /You keep Harbor Pro until April 10, 2026/)
    await agent.submit('Cancel subscription')
    assert.match(pageText(agent), /Ends on April 10, 2026/)
    assert.equal((await stateOf(service, subscriber)).canceled_at, '2026-04-10')
    await passDaysOf(service, app, 32)
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

  test('off: names the plan that is canceled, also where a change to another is scheduled', async () => {
    const app = await twoPlans(service, { other: cents(500) })
    const { agent } = await subscribe(service, { app })
    await agent.open(`/manage/${app.client_id}/plan/${app.other_id}/`)
    await agent.submit(/^Change/)
    await agent.press('Cancel subscription')
    assert.match(pageText(agent), /You keep Harbor Pro until April 10, 2026/)
    await agent.submit('Cancel subscription')
    // The change does not happen, so there is nothing to take back.
    assert.doesNotMatch(pageText(agent), /Keep my plan/)
    await agent.press('Keep my subscription')
    assert.match(pageText(agent), /Harbor Fleet renews on April 10, 2026, when \$5\.25 is charged/)
  })

  test('a pause begins where the seller allows it, and resumes for the sum that is named', async () => {
    const app = await twoPlans(service)
    const subscriber = await subscribe(service, { app })
    const { agent, email } = subscriber
    await agent.open(manage(subscriber))
    assert.doesNotMatch(pageText(agent), /Pause/)
    await apps.setAllowsPause(service.world.db, app.client_id, true)
    await agent.open(manage(subscriber))
    await agent.press('Pause')
    await agent.submit(/^Pause on/)
    await passDaysOf(service, app, 40)
    await agent.open(manage(subscriber))
    assert.match(pageText(agent), /You paused this license/)
    await agent.submit('Resume for $10.50')
    assert.equal((await stateOf(service, subscriber)).status, 'active')
    assert.deepEqual(await chargedAmounts(service, email), [1050, 1050])
  })

  test('a form from before the plan changed changes nothing, and says so', async () => {
    const app = await twoPlans(service)
    await apps.setAllowsPause(service.world.db, app.client_id, true)
    const subscriber = await subscribe(service, { app })
    const { agent } = subscriber
    const [pausing, canceling] = [agent.tab(), agent.tab()]
    await pausing.open(`/manage/${app.client_id}/pause/`)
    await canceling.open(`/manage/${app.client_id}/auto-renew/`)
    await apps.setAllowsPause(service.world.db, app.client_id, false)
    await pausing.submit(/^Pause on/)
    await declineFromNowOn(service, subscriber)
    await passDaysOf(service, app, 31)
    await canceling.submit('Cancel subscription')
    for (const tab of [pausing, canceling]) {
      assert.match(pageText(tab), /Nothing was changed Your plan has changed since the last page/)
      assert.doesNotMatch(pageText(tab), /amounts have changed/)
    }
    assert.equal((await stateOf(service, subscriber)).status, 'past_due')
  })

  test('a pause resumes for about the sum that is named where a tax service computes it', async () => {
    const app = await twoPlans(service)
    await apps.setAllowsPause(service.world.db, app.client_id, true)
    const subscriber = await subscribe(service, { app })
    const { agent, email } = subscriber
    await agent.open(`/manage/${app.client_id}/pause/`)
    await agent.submit(/^Pause on/)
    await passDaysOf(service, app, 40)
    const { taxes } = service.world
    const rule = { rule: 'txcd', rate_ppm: 82_500, taxable_ppm: 1_000_000 }
    Object.assign(service.world, {
      taxes: { ...taxes, name: 'stripe', quote: async () => ({ ...rule, tax: cents(83) }) },
    })
    await agent.open(manage(subscriber))
    await agent.submit('Resume for about $10.50')
    Object.assign(service.world, { taxes })
    assert.deepEqual(await chargedAmounts(service, email), [1050, 1083])
  })

  test('a pause cannot be resumed while a payment is disputed, and the page says so', async () => {
    const app = await twoPlans(service)
    await apps.setAllowsPause(service.world.db, app.client_id, true)
    const subscriber = await subscribe(service, { app })
    const { agent, email, license_id } = subscriber
    await agent.open(`/manage/${app.client_id}/pause/`)
    await agent.submit(/^Pause on/)
    await passDaysOf(service, app, 32)
    await agent.open(manage(subscriber))
    const stale = agent.tab()
    await stale.open(manage(subscriber))
    const { id } = (await billing.paidInvoicesOfLicense(service.world.db, license_id))[0]!
    const { processor_charge_id } = (await payments.chargeOf(service.world.db, id))!
    const dispute = { charge_id: processor_charge_id, reason: 'fraudulent' } as const
    await bankSandbox(service).disputeCharge(addDays(service.clock.now(), 32), dispute)
    await handleEvents(service.world)
    await agent.open(manage(subscriber))
    await stale.submit(/^Resume/)
    for (const tab of [agent, stale]) {
      assert.match(pageText(tab), /disputed, so it cannot be resumed now/)
      assert.doesNotMatch(pageText(tab), /Resume for/)
    }
    assert.deepEqual(await chargedAmounts(service, email), [1050])
  })

  test('a plan change that is planned with a pause is what resuming starts, or is canceled', async () => {
    const app = await twoPlans(service, { other: cents(500) })
    await apps.setAllowsPause(service.world.db, app.client_id, true)
    const [resumed, kept] = [await subscribe(service, { app }), await subscribe(service, { app })]
    for (const { agent } of [resumed, kept]) {
      await agent.open(`/manage/${app.client_id}/plan/${app.other_id}/`)
      await agent.submit(/^Change/)
      await agent.open(`/manage/${app.client_id}/pause/`)
      await agent.submit(/^Pause on/)
    }
    await passDaysOf(service, app, 40)
    await resumed.agent.open(manage(resumed))
    assert.match(pageText(resumed.agent), /Resuming starts Harbor Fleet, \$5.00 per month, today/)
    await resumed.agent.submit('Resume for $5.25')
    assert.deepEqual(await chargedAmounts(service, resumed.email), [1050, 525])
    await kept.agent.open(manage(kept))
    await kept.agent.submit('Keep my plan')
    assert.match(pageText(kept.agent), /Resuming starts a new month today/)
    await kept.agent.submit('Resume for $10.50')
    assert.deepEqual(await chargedAmounts(service, kept.email), [1050, 1050])
  })

  test('a plan change with a scheduled pause names no charge before the buyer resumes', async () => {
    const app = await twoPlans(service, { other: cents(500) })
    await apps.setAllowsPause(service.world.db, app.client_id, true)
    const { agent } = await subscribe(service, { app })
    await agent.open(`/manage/${app.client_id}/pause/`)
    await agent.submit(/^Pause on/)
    const { price_id: dearer } = await addPlan(service, app, 3000)
    await agent.open(`/manage/${app.client_id}/plan/${dearer}/`)
    assert.match(
      pageText(agent),
      /Pauses on April 10, 2026, and nothing is charged until you resume\. Then it renews at \$31\.50/,
    )
    assert.doesNotMatch(pageText(agent), /Next charge/)
    await agent.open(`/manage/${app.client_id}/plan/${app.other_id}/`)
    assert.match(pageText(agent), /Your plan pauses on April 10, 2026, and changes when you resume/)
    assert.doesNotMatch(pageText(agent), /First charge/)
    await agent.submit('Change to Harbor Fleet')
    assert.match(pageText(agent), /Pauses on April 10, 2026 Then Changes to Harbor Fleet/)
    const { price_id: once } = await addPlan(service, app, 9000, null)
    await agent.open(`/manage/${app.client_id}/plan/${once}/`)
    assert.match(pageText(agent), /One-time payment\. Nothing renews\./)
  })

  test('a plan that is removed while resuming is confirmed does not change the sum', async () => {
    const app = await twoPlans(service, { other: cents(500) })
    await apps.setAllowsPause(service.world.db, app.client_id, true)
    const { agent, email } = await subscribe(service, { app })
    await agent.open(`/manage/${app.client_id}/plan/${app.other_id}/`)
    await agent.submit(/^Change/)
    await agent.open(`/manage/${app.client_id}/pause/`)
    await agent.submit(/^Pause on/)
    await passDaysOf(service, app, 40)
    await agent.open(`/manage/${app.client_id}/`)
    const { db, taxes, clock } = service.world
    const { quote } = taxes
    // After the total of the form was compared, and before the license is locked.
    taxes.quote = async (now, sale) => {
      await db.run(sql`update products set deleted_at = ${clock.now()}
        where id = (select product_id from prices where id = ${app.other_id})`)
      return await quote.call(taxes, now, sale)
    }
    await agent.submit('Resume for $5.25')
    taxes.quote = quote
    assert.match(pageText(agent), /Resume for \$10.50/)
    assert.deepEqual(await chargedAmounts(service, email), [1050])
  })
})

describe('the key', () => {
  test('is replaced for a verified email: the old key is revoked, once per form', async () => {
    const app = await twoPlans(service)
    const { agent, email } = await signUp(service)
    await agent.open(`/buy/${app.price_id}/`)
    await agent.submit('Continue', { email, ...TEXAS })
    await enterCard(agent)
    await agent.submit(/^Pay /)
    const before = licenseKey(agent.page)
    await agent.open(manage({ app }))
    await agent.press('Replace the key')
    const [twice, later] = [agent.twin(), agent.twin()]
    await agent.submit('Replace the key now')
    const after = licenseKey(agent.page)
    assert.notEqual(after, before)
    assert.match(pageText(agent), /This is your new key/)
    await twice.submit('Replace the key now')
    assert.equal(licenseKey(twice.page), after)
    service.clock.pass(3600)
    await later.submit('Replace the key now')
    assert.equal(licenseKey(later.page), after)
    const { actor } = await service.world.db.one<{ actor: string }>(sql`select actor
      from audit_log where action = 'license.key_rotated'`)
    assert.match(actor, /^usr_/)
  })

  test('is not replaced in a session that saw only the purchase', async () => {
    const subscriber = await subscribe(service, { app: await twoPlans(service) })
    const { agent } = subscriber
    await agent.open(manage(subscriber))
    assert.doesNotMatch(pageText(agent), /Replace the key/)
    assert.equal((await agent.open(`${manage(subscriber)}key/`)).url, manage(subscriber))
  })
})

describe('the card', () => {
  test('a renewal that failed is paid with another one at once: the same key is active', async () => {
    const app = await twoPlans(service)
    const subscriber = await subscribe(service, { app, card: CARD.never_renews })
    const { agent, email } = subscriber
    await passDaysOf(service, app, 31)
    await agent.open(manage(subscriber))
    const text = pageText(agent)
    assert.match(text, /Your last payment failed/)
    assert.match(text, /declined this card/)
    assert.match(text, /We retry automatically on April 11, 2026/)
    assert.match(text, /If not paid by May 1, 2026, the license ends/)
    await declineFromNowOn(service, subscriber)
    await agent.submit('Pay $10.50 now')
    assert.match(pageText(agent), /Your card was declined/)
    await agent.submit('Update your card')
    await agent.submit('Save this card', { number: CARD.mastercard, ...NEW_CARD })
    assert.match(pageText(agent), /The payment went through/)
    assert.match(pageText(agent), /Mastercard ending in 4444/)
    assert.equal((await stateOf(service, subscriber)).status, 'active')
    assert.equal(licenseKey(agent.page), subscriber.license_key)
    assert.deepEqual(await chargedAmounts(service, email), [1050, 1050])
  })

  test('that must be confirmed pays a failed renewal before another card is offered', async () => {
    const app = await twoPlans(service)
    const subscriber = await subscribe(service, { app })
    const { agent, email } = subscriber
    await agent.open(manage(subscriber))
    await agent.submit('Update card')
    await agent.submit('Save this card', { number: CARD.asks_always, ...NEW_CARD })
    await passDaysOf(service, app, 31)
    await agent.open(manage(subscriber))
    assert.match(pageText(agent), /Your bank requires you to confirm this payment/)
    assert.deepEqual(mainButtons(agent.page.body), ['Pay $10.50 now'])
    const message = await emailTo(service, email, /^Your payment for .* failed$/)
    assertContains(message, 'Pay now: http', 'You can also use another card, or cancel.')
    await agent.submit('Pay $10.50 now')
    await agent.submit('Complete authentication')
    assert.match(pageText(agent), /The payment went through/)
    assert.deepEqual(await chargedAmounts(service, email), [1050, 1050])
  })

  test('does not change without a new card, or if the new card is from abroad', async () => {
    const subscriber = await subscribe(service, { app: await twoPlans(service) })
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

  test('is read from a portal visit once, in the session that opened the portal', async () => {
    const subscriber = await subscribe(service, { app: await twoPlans(service) })
    const { agent } = subscriber
    await agent.open(manage(subscriber))
    const stale = agent.twin()
    await agent.submit('Update card')
    await agent.submit('Save this card', { number: CARD.mastercard, ...NEW_CARD })
    assert.match(pageText(agent), /Future charges use this card/)
    await stale.open(`${manage(subscriber)}card`)
    assert.equal(stale.page.url, manage(subscriber))
  })

  test('is saved for each of two licenses whose portals are open in two tabs', async () => {
    const { agent, email } = await signUp(service)
    const apps = [await otherApp(service, {}), await otherApp(service, {})]
    for (const { price_id } of apps) {
      await agent.open(`/buy/${price_id}/`)
      await agent.submit('Continue', { email, ...TEXAS })
      await enterCard(agent)
      await agent.submit(/^Pay /)
    }
    const tabs = apps.map((app) => ({ app, tab: agent.tab() }))
    for (const { app, tab } of tabs) {
      await tab.open(`/manage/${app.client_id}/`)
      await tab.submit('Update card')
    }
    for (const { tab } of tabs) {
      await tab.submit('Save this card', { number: CARD.mastercard, ...NEW_CARD })
      assert.match(pageText(tab), /Future charges use this card/)
    }
  })

  test('canceling a license cancels the amount due', async () => {
    const app = await twoPlans(service)
    const subscriber = await subscribe(service, { app, card: CARD.never_renews })
    const { agent, email } = subscriber
    await passDaysOf(service, app, 31)
    await agent.open(manage(subscriber))
    await agent.press('Cancel subscription')
    assert.match(pageText(agent), /The \$10\.50 is no longer due/)
    await agent.submit('Cancel now')
    // The end is mentioned once, and an ended license shows no price.
    assert.equal(pageText(agent).match(/license has ended/gi)?.length, 1)
    assert.doesNotMatch(pageText(agent), /per month/)
    assert.equal((await stateOf(service, subscriber)).status, 'canceled')
    assert.deepEqual(await chargedAmounts(service, email), [1050])
  })
})

test('the portal lists every purchase with what comes next of it', async () => {
  const { agent, email } = await signUp(service)
  const trial = await twoPlans(service, { trial_days: 14 })
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
