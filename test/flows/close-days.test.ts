import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import * as ledger from '#domain/ledger'
import { checkBooks } from '#flows/check-books'
import { closeDays } from '#flows/close-days'
import { cents } from '#platform/money'
import { sql } from '#platform/sql'
import { handleEvents } from '#surfaces/processor-events/worker'
import { balancesAt } from '../support/balances.ts'
import { CARD } from '../support/cards.ts'
import { bankSandbox, decideDispute, disputeCharge, disputeOf } from '../support/disputes.ts'
import { assertInvariants } from '../support/invariants.ts'
import { buy, refund } from '../support/refunds.ts'
import { openTestService, type TestService } from '../support/service.ts'

const DAY = 86_400

describe('a closed day', () => {
  let service: TestService
  before(async () => {
    service = await openTestService()
  })
  after(() => service.close())

  const cashAt = async (at: Date) => {
    const balances = await balancesAt(service.world.db, at)
    return balances.find(({ account }) => account === 'processor')?.amount
  }
  const differences = async () => (await checkBooks(service.world)).differences
  /** Lets the day end, and closes it. */
  const endDay = async () => {
    service.clock.pass(DAY)
    await handleEvents(service.world)
    return await closeDays(service.world)
  }

  // M5, I21
  test('ends with the processor’s balance on the cash account, fees included', async () => {
    const { world, clock } = service
    await buy(service)
    await refund(service, await buy(service))
    await buy(service, { card: CARD.fraudulent })
    await handleEvents(world)
    const won = await buy(service)
    await decideDispute(service, await disputeCharge(service, won.charge), 'won')
    const day = await endDay()
    const end = new Date(new Date(`${day}T00:00:00Z`).getTime() + DAY * 1000 - 1)
    const { available } = await world.processor.readBalance(end)
    assert.equal(await cashAt(end), available)
    const fees = await ledger.balanceOf(world.db, 'dispute_fees', '')
    assert.equal(fees, 1500, 'the fee of the open dispute; that of the won one came back')
    assert.ok((await ledger.balanceOf(world.db, 'processing_fees', '')) > 0)
    assert.deepEqual(await differences(), [])
    assert.equal(await closeDays(world), undefined, 'closed again, nothing changes')
    assert.ok((await disputeOf(service, won))?.status === 'won')
    assert.ok(clock.now() > end)
    await assertInvariants(service)
  })

  // M5, I21
  test('ends with that balance even if a purchase is paid while it is read', async () => {
    const { world, clock } = service
    await buy(service)
    clock.pass(DAY)
    await handleEvents(world)
    const { processor } = world
    let reads = 0
    const busy: typeof processor = {
      ...processor,
      async *balanceTransactions(from, before) {
        if (reads++ === 0) {
          clock.pass(0.5)
          await buy(service)
        }
        yield* processor.balanceTransactions(from, before)
      },
    }
    assert.ok(await closeDays({ ...world, processor: busy }))
    assert.equal(reads, 2)
    assert.deepEqual(await differences(), [])
  })

  // M5
  test('books transfers to the operator’s bank, and continues from the day before', async () => {
    await bankSandbox(service).moveFunds(service.clock.now(), cents(-5000))
    await endDay()
    assert.equal(await ledger.balanceOf(service.world.db, 'bank', ''), 5000 - 1_000_000)
    assert.deepEqual(await differences(), [])
  })

  // M5
  test('reports movements at the processor that the books do not have', async () => {
    const { db } = service.world
    const bought = await buy(service)
    await db.run(sql`insert into sandbox.refunds
      (id, key, request_hash, charge_id, amount, status, created_at)
      values ('re_stray', 'stray', 'x', ${bought.charge.processor_charge_id}, 100, 'succeeded',
        ${service.clock.now()})`)
    await endDay()
    const found = await differences()
    assert.ok(
      found.some(({ subject, detail }) => {
        return subject === 're_stray' && detail.includes('−$1.00 at the processor')
      }),
    )
  })
})
