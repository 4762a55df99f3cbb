import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import * as payments from '#domain/payments'
import { reconcile } from '#flows/payment'
import { changeCard, payOwed } from '#flows/subscription'
import { mintId } from '#platform/ids'
import { sql } from '#platform/sql'
import { CARD } from '../support/cards.ts'
import { assertInvariantsAndClose } from '../support/invariants.ts'
import { chargedAmounts } from '../support/purchase.ts'
import { openTestService, type TestService } from '../support/service.ts'
import {
  buyerActor,
  DAY,
  passDays,
  runDue,
  type Subscriber,
  stateOf,
  subscribe,
} from '../support/subscriber.ts'

let service: TestService
/** Whether the processor's answers are lost. */
let isAway = false
before(async () => {
  service = await openTestService({
    processor: (sandbox) => ({
      ...sandbox,
      async charge(now, request) {
        const answer = await sandbox.charge(now, request)
        if (isAway) throw new payments.ProcessorUnreachable('the line is cut')
        return answer
      },
    }),
  })
})
after(() => assertInvariantsAndClose(service))

const return_url = 'http://localhost/manage'

/** Changes how the bank treats a subscriber's cards. */
async function letBank({ user_id }: Subscriber, behavior: string): Promise<void> {
  await service.world.db.run(sql`update sandbox.cards set behavior = ${behavior}
    where token in (select token from cards where user_id = ${user_id})`)
}

/** Replaces a subscriber's card. */
async function replaceCard(subscriber: Subscriber, number: string = CARD.mastercard) {
  const { processor, random, clock } = service.world
  const entry = await processor.openCardEntry(clock.now(), {
    app_name: 'Harbor',
    product_name: 'Harbor Pro',
    email: `${mintId(random, 'card').toLowerCase()}@example.com`,
    zip: '78701',
    summary: [],
    return_url,
    back_url: return_url,
  })
  await subscriber.agent.open(entry.url)
  await subscriber.agent.submit('Continue', { number, expiry: '12/30', cvc: '123' }).catch(() => {})
  const card = (await processor.readCardEntry(entry.id))!
  const { license_id } = subscriber
  return await changeCard(service.world, buyerActor(subscriber), { license_id, card, return_url })
}

/** Charges what is due while the processor's answers are lost. */
async function renewUnanswered(): Promise<void> {
  isAway = true
  await runDue(service)
  isAway = false
}

async function reconcileLater(): Promise<void> {
  service.clock.pass(5)
  await reconcile(service.world)
}

describe('a decline that arrives after the card was replaced', () => {
  test('of a renewal charges the new card at once', async () => {
    const subscriber = await subscribe(service)
    service.clock.pass(31 * DAY)
    await letBank(subscriber, 'declines_lost')
    await renewUnanswered()
    assert.equal((await replaceCard(subscriber)).outcome, 'nothing_owed')
    await reconcileLater()
    await runDue(service)
    assert.equal((await stateOf(service, subscriber)).status, 'active')
    assert.deepEqual(await chargedAmounts(service, subscriber.email), [1260, 1260])
  })

  test('of a retry uses none up, and the new card is retried on schedule', async () => {
    const subscriber = await subscribe(service)
    await letBank(subscriber, 'declines_generic')
    while ((await stateOf(service, subscriber)).status === 'active') await passDays(service, 1)
    await letBank(subscriber, 'declines_lost')
    service.clock.pass(DAY)
    await renewUnanswered()
    assert.equal((await replaceCard(subscriber, CARD.verifies_only)).outcome, 'processing')
    await reconcileLater()
    await runDue(service)
    const { license_id } = subscriber
    const { retries, last_decline } = await service.world.db.one<{
      retries: number
      last_decline: string
    }>(sql`select retries, last_decline from subscriptions where license_id = ${license_id}`)
    assert.deepEqual([retries, last_decline], [1, 'generic_decline'])
    assert.equal((await stateOf(service, subscriber)).status, 'past_due')
  })
})

describe('a challenge by the bank of a card that is replaced', () => {
  test('is closed, and the new card pays at once', async () => {
    const subscriber = await subscribe(service)
    await letBank(subscriber, 'challenges_always')
    await passDays(service, 31)
    const { license_id } = subscriber
    const owed = { license_id, requested_by: 'buyer', return_url } as const
    assert.equal((await payOwed(service.world, owed)).outcome, 'action_required')
    assert.equal((await replaceCard(subscriber)).outcome, 'paid')
    assert.equal((await stateOf(service, subscriber)).status, 'active')
    assert.deepEqual(await chargedAmounts(service, subscriber.email), [1260, 1260])
  })

  test('that was passed just before pays, and the new card is not charged', async () => {
    const subscriber = await subscribe(service)
    await letBank(subscriber, 'challenges_always')
    await passDays(service, 31)
    const { license_id } = subscriber
    const owed = { license_id, requested_by: 'buyer', return_url } as const
    const asked = await payOwed(service.world, owed)
    assert.ok(asked.outcome === 'action_required')
    // The bank's page shows success, but the buyer does not return from it.
    await service.app.inject({
      method: 'POST',
      url: asked.action_url,
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      payload: 'result=complete',
    })
    assert.equal((await replaceCard(subscriber)).outcome, 'paid')
    assert.deepEqual(await chargedAmounts(service, subscriber.email), [1260, 1260])
  })
})
