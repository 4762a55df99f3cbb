import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, test } from 'node:test'
import { ProcessorUnreachable } from '#domain/payments'
import { reconcile } from '#flows/payment'
import { renewDue, setAutoRenew } from '#flows/subscription'
import type { World } from '#flows/world'
import type { LicenseId, SubscriptionId } from '#platform/ids'
import { cents } from '#platform/money'
import { sql } from '#platform/sql'
import type { OtherApp } from '../support/apps.ts'
import { KILL_STRIDE } from '../support/budget.ts'
import { CARD } from '../support/cards.ts'
import { openTestDatabase } from '../support/database.ts'
import { assertInvariants } from '../support/invariants.ts'
import { killableDatabase, untilKilled } from '../support/killable-database.ts'
import { chargedAmounts } from '../support/purchase.ts'
import { openTestService, type TestService } from '../support/service.ts'
import { countStatements } from '../support/statement-count.ts'
import {
  DAY,
  otherApp,
  runDue,
  type Subscriber,
  stateOf,
  subscribe,
} from '../support/subscriber.ts'

let service: TestService
let app: OtherApp
/** Called before each charge reaches the processor. */
let beforeCharge: (card_token: string) => Promise<void> = async () => {}

const watched = (sandbox: World['processor']): World['processor'] => ({
  ...sandbox,
  async charge(now, request) {
    await beforeCharge(request.card_token)
    return await sandbox.charge(now, request)
  },
})

before(async () => {
  const db = killableDatabase(await openTestDatabase())
  service = await openTestService({ db, processor: watched })
  app = await otherApp(service, { frequency: 'week', amount: cents(1200) })
})
after(() => service.close())
beforeEach(async () => {
  beforeCharge = async () => {}
  await service.world.db.raw('update subscriptions set next_at = null')
})

const PAID_TWICE = [1260, 1260]

async function subscribers(count: number, card?: string): Promise<Subscriber[]> {
  const all: Subscriber[] = []
  const of = card === undefined ? { app } : { app, card }
  for (let index = 0; index < count; index++) all.push(await subscribe(service, of))
  return all
}

const renewAtOnce = async () => await renewDue(service.world, { at_once: 10 })

const taken = async (all: Subscriber[]) =>
  await Promise.all(all.map(({ email }) => chargedAmounts(service, email)))

async function subscriptionOf(license_id: LicenseId): Promise<SubscriptionId> {
  const { id } = await service.world.db.one<{ id: SubscriptionId }>(
    sql`select id from subscriptions where license_id = ${license_id}`,
  )
  return id
}

/** Makes the database refuse what a statement writes to a table for one subscription. */
async function refuse(table: string, condition: string, during: () => Promise<void>) {
  const { db } = service.world
  await db.raw(`create function refuse_row() returns trigger language plpgsql as
    $$ begin if ${condition} then raise exception 'refused by the test'; end if; return new; end $$;
    create trigger refuse_row before insert or update on ${table} for each row
      execute function refuse_row()`)
  try {
    await during()
  } finally {
    await db.raw(`drop trigger refuse_row on ${table}; drop function refuse_row()`)
  }
}

describe('renewals that are processed at the same time', () => {
  test('share statements and commits', async () => {
    const due = await subscribers(8)
    service.clock.pass(7 * DAY)
    const counter = countStatements()
    const { statements, commits } = await counter.within(renewAtOnce)
    counter.stop()
    for (const paid of await taken(due)) assert.deepEqual(paid, PAID_TWICE)
    if (service.world.db.engine === 'postgresql') {
      const each = `${statements / 8} statements and ${commits / 8} commits`
      assert.ok(statements > 0 && statements / 8 <= 8 && commits / 8 <= 2.5, each)
    }
  })

  test('have outcomes of their own', async () => {
    const [good, stopped, lost] = (await subscribers(3)) as [Subscriber, Subscriber, Subscriber]
    const [declined] = (await subscribers(1, CARD.never_renews)) as [Subscriber]
    service.clock.pass(7 * DAY)
    const { token } = await service.world.db.one<{ token: string }>(
      sql`select token from cards where user_id = ${lost.user_id}`,
    )
    beforeCharge = async (card_token) => {
      if (card_token === token) throw new ProcessorUnreachable('lost by the test')
    }
    const { license_id, user_id } = stopped
    await setAutoRenew(
      service.world,
      { kind: 'buyer', user_id, request_id: 'req_test' },
      { license_id, to: 'off' },
    )
    assert.equal(await renewAtOnce(), 4)
    assert.deepEqual(await taken([good, stopped, lost, declined]), [
      PAID_TWICE,
      [1260],
      [1260],
      [1260],
    ])
    const states = await Promise.all(
      [good, stopped, lost, declined].map((each) => stateOf(service, each)),
    )
    assert.deepEqual(
      states.map(({ status }) => status),
      ['active', 'canceled', 'active', 'past_due'],
    )
    beforeCharge = async () => {}
    for (let round = 0; round < 3; round++) {
      service.clock.pass(1800)
      await reconcile(service.world)
      await runDue(service)
    }
    assert.deepEqual(await chargedAmounts(service, lost.email), PAID_TWICE)
    await assertInvariants(service)
  })

  test('do not fail because the invoice of one cannot be recorded', async () => {
    const [first, broken, last] = (await subscribers(3)) as [Subscriber, Subscriber, Subscriber]
    service.clock.pass(7 * DAY)
    const id = await subscriptionOf(broken.license_id)
    await refuse('invoices', `new.subscription_id = '${id}'`, async () => {
      assert.equal(await renewAtOnce(), 3)
    })
    assert.deepEqual(await taken([first, broken, last]), [PAID_TWICE, [1260], PAID_TWICE])
    service.clock.pass(61)
    await runDue(service)
    assert.deepEqual(await chargedAmounts(service, broken.email), PAID_TWICE)
    await assertInvariants(service)
  })

  test('do not fail because the answer of one cannot be recorded', async () => {
    const [first, broken, last] = (await subscribers(3)) as [Subscriber, Subscriber, Subscriber]
    service.clock.pass(7 * DAY)
    await refuse('license_history', `new.license_id = '${broken.license_id}'`, async () => {
      assert.equal(await renewAtOnce(), 3)
    })
    assert.deepEqual(
      (await Promise.all([first, last].map((each) => stateOf(service, each)))).map(
        ({ status }) => status,
      ),
      ['active', 'active'],
    )
    const open = await service.world.db.rows<{ id: string }>(
      sql`select id from attempts where status = 'open'`,
    )
    assert.equal(open.length, 1, 'the charge of one is not recorded')
    service.clock.pass(10)
    await reconcile(service.world)
    assert.deepEqual(await taken([first, broken, last]), [PAID_TWICE, PAID_TWICE, PAID_TWICE])
    await assertInvariants(service)
  })

  test('are each charged once where the process dies at any step', async () => {
    let finished = false
    for (let step = 1; !finished; step += KILL_STRIDE) {
      const due = await subscribers(3)
      service.clock.pass(7 * DAY)
      const fate = await untilKilled(step, renewAtOnce)
      finished = !fate.killed
      for (let round = 0; round < 3; round++) {
        service.clock.pass(1800)
        await reconcile(service.world)
        await runDue(service)
      }
      assert.deepEqual(await taken(due), [PAID_TWICE, PAID_TWICE, PAID_TWICE], `step ${step}`)
      await service.world.db.raw('update subscriptions set next_at = null')
    }
    await assertInvariants(service)
  })
})
