import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import * as payments from '#domain/payments'
import { reconcileRefunds } from '#flows/refund'
import { resendReceipt } from '#flows/resend-receipt'
import type { World } from '#flows/world'
import type { OrderId } from '#platform/ids'
import { sql } from '#platform/sql'
import { handleEvents } from '#surfaces/processor-events/worker'
import { undoDisowned } from '#surfaces/signin/disowned'
import { openAlarms } from '../support/alarms.ts'
import { bankSandbox } from '../support/disputes.ts'
import { assertInvariantsAndClose } from '../support/invariants.ts'
import { emailTo, linkIn } from '../support/mailbox.ts'
import { buyer, purchase } from '../support/purchase.ts'
import { type Bought, buy, refund, refundsOf } from '../support/refunds.ts'
import { openTestService, type TestService } from '../support/service.ts'

const HOUR = 3600
const DAY = 86_400

let service: TestService
before(async () => {
  service = await openTestService()
  await service.world.jobs.start()
})
after(() => assertInvariantsAndClose(service))

let names = 0
const fresh = () => `disowned-${names++}@example.com`

/** The mailbox's owner says that the purchase was not theirs; waits for what follows. */
async function disown(email: string, receipt: string): Promise<void> {
  const owner = buyer(service)
  await owner.open(linkIn(receipt, 'not_me'))
  await owner.submit('Lock the account')
  const deadline = Date.now() + 15_000
  while (Date.now() < deadline) {
    const { auto_renew, status } = await stateOf(email)
    const alarms = await openAlarms(service.world.db)
    if (
      !auto_renew &&
      (status === 'canceled' || alarms.some(({ kind }) => kind === 'disowned_purchase'))
    ) {
      return
    }
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
  throw new Error('the purchase was not undone')
}

async function stateOf(email: string) {
  return await service.world.db.one<{ status: string; auto_renew: boolean; refunds: number }>(sql`
    select l.status, coalesce((select bool_or(s.auto_renew) from subscriptions s
        where s.license_id = l.id and l.status <> 'canceled'), false) as auto_renew,
      (select count(*) from refunds r join charges c on c.id = r.charge_id
        join invoices i on i.id = c.invoice_id where i.license_id = l.id) as refunds
    from licenses l join users u on u.id = l.user_id where u.email = ${email}`)
}

// S7
test('"This was not me" refunds a purchase of the last 14 days and ends its checkout', async () => {
  const email = fresh()
  const intruder = buyer(service)
  const bought = await purchase(service, intruder, { email })
  await disown(email, await emailTo(service, email, /receipt/))
  assert.deepEqual(await stateOf(email), { status: 'canceled', auto_renew: false, refunds: 1 })
  assert.equal((await intruder.open(bought.url)).status, 404)
  const cart = bought.url.replace('success', 'receipt')
  const { csrf_token = '' } = (await intruder.open('/signin/')) && intruder.form('Sign in')
  const resent = await service.app.inject({
    method: 'POST',
    url: cart,
    headers: { cookie: intruder.cookie, 'content-type': 'application/x-www-form-urlencoded' },
    payload: new URLSearchParams({ csrf_token }).toString(),
  })
  assert.equal(resent.statusCode, 404)
})

// S7
test('"This was not me" leaves an older purchase to staff, and turns auto-renew off', async () => {
  const email = fresh()
  const intruder = buyer(service)
  const { app } = service.demo
  await purchase(service, intruder, { email })
  // The first receipt must be out before the mailbox is emptied, or its old link is read below.
  await emailTo(service, email, /receipt/)
  service.clock.pass(15 * DAY)
  await intruder.open(`/signin/?return_to=/manage/${app.client_id}/`)
  // The receipt is sent once more, with links that are good for seven days from now.
  const { id } = await service.world.db.one<{ id: OrderId }>(sql`select o.id from orders o
    join users u on u.id = o.user_id where u.email = ${email}`)

  await resendReceipt(service.world, id)
  await service.world.db.run(sql`delete from dev_mailbox where recipient = ${email}`)
  await disown(email, await emailTo(service, email, /receipt/))
  assert.deepEqual(await stateOf(email), { status: 'active', auto_renew: false, refunds: 0 })
  const cases = (await openAlarms(service.world.db)).filter(
    ({ kind }) => kind === 'disowned_purchase',
  )
  assert.equal(cases.length, 1)
  assert.match(String(cases[0]?.href), /^\/admin\/sales\/inv_\w{22}\/$/)
  assert.match(cases[0]!.message, /^PUR-\d{6} over \$\d+\.\d\d: The owner of the email reported/)
})

// S12
test("the success page signs a new account in until it signs out, even if the sign-out's response was lost", async () => {
  const agent = buyer(service)
  const bought = await purchase(service, agent, { email: fresh() })
  agent.cookies.delete('__Host-session')
  assert.match((await agent.open(bought.url)).body, /key_/)
  await agent.open('/account/')
  await agent.submit('Sign out')
  for (const seconds of [0, HOUR, 300 * DAY]) {
    service.clock.pass(seconds)
    assert.match((await agent.open(bought.url)).url, /^\/signin\//)
    assert.match((await agent.open('/account/')).url, /^\/signin\//)
  }
})

// S12
test('the success page does not sign in a browser that first opens it an hour later', async () => {
  const agent = buyer(service)
  const bought = await purchase(service, agent, { email: fresh() })
  agent.cookies.delete('__Host-session')
  service.clock.pass(HOUR)
  assert.match((await agent.open(bought.url)).url, /^\/signin\//)
})

/** Does what follows the disowning of an account, once; throws if it must be done again. */
async function undo({ user_id }: Bought): Promise<void> {
  const { world } = service
  let work: ((data: { user_id: string; request_id: string }) => Promise<void>) | undefined
  const handle = ((_queue: unknown, given: NonNullable<typeof work>) => {
    work = given
  }) as World['jobs']['handle']
  undoDisowned({ ...world, jobs: { ...world.jobs, handle } })
  await work!({ user_id, request_id: 'req_test' })
}

/** Loses every request for a refund, or its answer, while `work` runs. */
async function withoutAnswers(
  work: () => Promise<void>,
  lost: 'request' | 'answer' = 'answer',
): Promise<void> {
  const { processor } = service.world
  const { refund: ask } = processor
  processor.refund = async (now, request) => {
    if (lost === 'answer') await ask.call(processor, now, request)
    throw new payments.ProcessorUnreachable(`the ${lost} is lost`)
  }
  await work().finally(() => {
    processor.refund = ask
  })
}

describe('a disowned purchase whose refund waits for an answer', () => {
  const settle = async () => {
    service.clock.pass(5)
    await reconcileRefunds(service.world)
  }

  test('is refunded in full after a refund of the seller', async () => {
    const bought = await buy(service)
    await withoutAnswers(async () => {
      assert.equal((await refund(service, bought, 400)).outcome, 'processing')
      await assert.rejects(undo(bought), /waits for a refund/)
    })
    await settle()
    await undo(bought)
    const { amount } = payments.refundedOf(await refundsOf(service, bought))
    assert.equal(amount, bought.charge.amount)
  })

  test('is retried until the answer is known', async () => {
    const bought = await buy(service)
    await withoutAnswers(() => assert.rejects(undo(bought), /waits for a refund/))
    await settle()
    await undo(bought)
    const refunds = await refundsOf(service, bought)
    assert.deepEqual(
      refunds.map(({ status }) => status),
      ['succeeded'],
    )
  })

  test('becomes a case for staff if the processor refuses', async () => {
    const bought = await buy(service)
    await withoutAnswers(() => assert.rejects(undo(bought), /waits for a refund/), 'request')
    const { processor_charge_id: charge_id } = bought.charge
    await bankSandbox(service).disputeCharge(service.clock.now(), {
      charge_id,
      reason: 'fraudulent',
    })
    await settle()
    await undo(bought)
    const alarms = await openAlarms(service.world.db)
    assert.ok(alarms.some(({ subject }) => subject === bought.invoice_id))
    await handleEvents(service.world)
  })
})
