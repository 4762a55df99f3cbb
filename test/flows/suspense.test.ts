/** Movements at the processor that no record explains, and how staff book them. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import * as ledger from '#domain/ledger'
import * as payments from '#domain/payments'
import { checkBooks } from '#flows/check-books'
import { closeDays } from '#flows/close-days'
import { bookSuspense } from '#flows/staff-actions'
import { addSeconds } from '#platform/calendar'
import { cents } from '#platform/money'
import { sql } from '#platform/sql'
import { handleEvents } from '#surfaces/processor-events/worker'
import { type Agent, textOf } from '../support/agent.ts'
import { staffWithReason } from '../support/excess.ts'
import { testId } from '../support/ids.ts'
import { buy } from '../support/refunds.ts'
import { signedIn } from '../support/seller.ts'
import { auditOf } from '../support/seller-and-staff.ts'
import { openTestService, type TestService } from '../support/service.ts'

const DAY = 86_400

let service: TestService
let staff: Agent
const strays: payments.BalanceTransaction[] = []
before(async () => {
  service = await openTestService()
  await buy(service)
})
after(() => service.close())

const balance = (account: ledger.Account) => ledger.balanceOf(service.world.db, account, '')
const differences = async () =>
  (await checkBooks(service.world)).differences.map(({ subject }) => subject)

/** Lets the processor's balance move without a cause, and closes the day. */
async function stray(id: string, amount: number): Promise<void> {
  const { world, clock } = service
  strays.push({
    id,
    at: clock.now(),
    kind: 'other',
    subject: null,
    amount: cents(amount),
    fee: cents(0),
    fee_kind: 'processing',
    description: 'adjustment: without a description',
  })
  clock.pass(DAY)
  await handleEvents(world)
  const { processor } = world
  const moving: typeof processor = {
    ...processor,
    async *balanceTransactions(from, until) {
      yield* processor.balanceTransactions(from, until)
      yield* strays.filter(({ at }) => at >= from && at < until)
    },
    async readBalance(at) {
      const read = await processor.readBalance(at)
      const moved = strays
        .filter((each) => each.at <= at)
        .reduce((sum, each) => sum + each.amount, 0)
      return { ...read, available: cents(read.available + moved) }
    },
  }
  assert.ok(await closeDays({ ...world, processor: moving }))
}

async function openCases() {
  staff = await signedIn(service, service.demo.operator)
  return await staff.open('/admin/cases/')
}

test('a movement is a case for staff, and reported until it is booked', async () => {
  await stray('txn_stray_1', 12_345)
  assert.deepEqual(await differences(), ['txn_stray_1'])
  assert.equal(await balance('suspense'), -12_345)
  const [bank, cash] = [await balance('bank'), await balance('processor')]
  const cases = await openCases()
  assert.match(
    textOf(cases.body),
    /Unexplained movements at the processor \$123\.45 .* txn_stray_1, adjustment: without a desc/,
  )
  assert.match(textOf((await staff.open('/admin/')).body), /1 unexplained movement/)
  await staff.open('/admin/cases/')
  const undecided = await staff.submit('Book', { reason: 'Top-up of March, by wire' })
  assert.match(textOf(undecided.body), /Not booked\. Choose what the movement was\./)
  assert.match(undecided.body, /value="Top-up of March, by wire"/)
  assert.match(undecided.body, /<title>Error: Cases · /)
  assert.match(undecided.body, /id="booked-as-\w+-error"[^>]*>.*Choose what it was\./)
  const account = 'bank'
  const unreasoned = await staff.submit('Book', { booked_as: account, reason: '' })
  assert.match(textOf(unreasoned.body), /Give a reason/)
  assert.doesNotMatch(textOf(unreasoned.body), /Choose what it was/)
  assert.match(unreasoned.body, /<option value="bank" selected>/)
  const form = { booked_as: account, reason: 'Top-up of March, by wire' }
  const booked = await staff.submit('Book', form)
  assert.match(textOf(booked.body), /Movement booked\./)
  assert.doesNotMatch(textOf(booked.body), /txn_stray_1/)
  assert.equal(await balance('suspense'), 0)
  assert.deepEqual([await balance('bank'), await balance('processor')], [bank - 12_345, cash])
  assert.deepEqual(await differences(), [])
  const [entry] = (await auditOf(service, 'suspense.booked')).slice(-1)
  assert.deepEqual(entry?.detail, {
    movement_id: 'txn_stray_1',
    account,
    amount: 12_345,
    reason: 'Top-up of March, by wire',
  })
})

test('money that left is booked as a fee or a loss', async () => {
  await stray('txn_stray_2', -700)
  await stray('txn_stray_3', -50)
  const [fees, losses] = [await balance('processing_fees'), await balance('losses')]
  const by = await staffWithReason(service)
  const { world } = service
  const fee = { movement_id: 'txn_stray_2', account: 'processing_fees' } as const
  assert.equal(await bookSuspense(world, by, fee), true)
  const loss = { movement_id: 'txn_stray_3', account: 'losses' } as const
  assert.equal(await bookSuspense(world, by, loss), true)
  assert.deepEqual(
    [await balance('processing_fees'), await balance('losses'), await balance('suspense')],
    [fees + 700, losses + 50, 0],
  )
  assert.deepEqual(await differences(), [])
})

test('a movement is booked once, and only if it is unexplained and its day is closed', async () => {
  const { world, clock } = service
  const { db } = world
  await stray('txn_stray_4', 900)
  const by = await staffWithReason(service)
  const booking = { movement_id: 'txn_stray_4', account: 'losses' } as const
  const both = await Promise.all([
    bookSuspense(world, by, booking),
    bookSuspense(world, by, booking),
  ])
  assert.deepEqual(both.toSorted(), [false, true])
  assert.equal(await balance('suspense'), 0)
  const charge = await db.one<{ id: string }>(sql`select id from balance_transactions
    where kind = 'charge' limit 1`)
  const of = { account: 'bank' } as const
  assert.equal(await bookSuspense(world, by, { movement_id: charge.id, ...of }), false)
  assert.equal(await bookSuspense(world, by, { movement_id: 'txn_none', ...of }), false)
  const today = { ...strays[0]!, id: 'txn_today', at: addSeconds(clock.now(), 1) }
  await payments.addBalanceTransactions(db, world.processor.name, [today])
  assert.equal(await bookSuspense(world, by, { movement_id: 'txn_today', ...of }), false)
})

test('a booking of another amount than the movement is a difference', async () => {
  const { db, clock } = service.world
  const id = testId('sbk_planted')
  const by = { booked_by: testId('usr_1'), reason: 'planted' }
  const booking = { id, account: 'bank', amount: cents(100) } as const
  const of = { processor: service.world.processor.name, movement_id: 'txn_planted' }
  await db.tx(async (tx) => {
    await ledger.addSuspenseBooking(tx, clock.now(), { ...booking, ...of, ...by })
    await ledger.post(tx, clock.now(), testId('txn_planted'), ledger.suspenseBooked(booking))
  })
  assert.ok((await differences()).includes(id))
})
