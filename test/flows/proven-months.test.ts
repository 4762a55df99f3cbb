import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import * as ledger from '#domain/ledger'
import type { ProcessorRecord, ProcessorRecords } from '#domain/payments'
import { checkAndRecord, checkNightly, type RecordedCheck } from '#flows/check-books'
import type { Db } from '#platform/db'
import { cents } from '#platform/money'
import { sql } from '#platform/sql'
import { openAlarms } from '../support/alarms.ts'
import { testId } from '../support/ids.ts'
import { buy, refund } from '../support/refunds.ts'
import { openTestService, type TestService } from '../support/service.ts'

// Guards R15: the nightly check does not grow with the age of the books.

const KINDS: (keyof ProcessorRecords)[] = ['charges', 'refunds', 'payouts', 'disputes']
const IN_APRIL = sql`(select id from ledger_transactions
  where event = 'sale' and at between '2026-04-01' and '2026-05-01')`

class Rollback extends Error {}

describe('a month that is over', () => {
  let service: TestService
  before(async () => {
    service = await openTestService()
    for (const day of ['2026-03-10', '2026-04-10', '2026-05-06']) {
      service.clock.reset(`${day}T12:00:00Z`)
      await buy(service)
    }
  })
  after(() => service.close())

  const check = (is_whole: boolean) => checkAndRecord(service.world, { is_whole })
  const proven = async () => (await ledger.readProofs(service.world.db)).map(({ month }) => month)

  /** Checks the books after a fault without what is proven; the fault is rolled back. */
  async function afterFault(plant: (tx: Db) => Promise<unknown>): Promise<RecordedCheck> {
    const { world } = service
    const listed: Partial<Record<keyof ProcessorRecords, ProcessorRecord[]>> = {}
    for (const kind of KINDS) {
      const all: ProcessorRecord[] = []
      for await (const each of world.processor[kind](new Date(0), new Date('9999'))) all.push(each)
      listed[kind] = all
    }
    const listing = (kind: keyof ProcessorRecords) =>
      async function* list(from: Date, until: Date) {
        yield* listed[kind]!.filter(({ at }) => at >= from && at < until)
      }
    const listings = Object.fromEntries(KINDS.map((kind) => [kind, listing(kind)]))
    let found: RecordedCheck | undefined
    await world.db
      .tx(async (tx) => {
        for (const table of ['ledger_entries', 'ledger_transactions']) {
          await tx.raw(`alter table ${table} disable trigger user`)
        }
        await plant(tx)
        const db = { ...world.db, ...tx, patient: tx }
        const processor = { ...world.processor, ...listings }
        found = await checkAndRecord({ ...world, db, processor }, { is_whole: false })
        throw new Rollback()
      })
      .catch((error) => {
        if (!(error instanceof Rollback)) throw error
      })
    return found!
  }

  test('is proven by a check without a difference, and left out of the next one', async () => {
    const first = await check(false)
    assert.deepEqual([first.differences, first.proven], [[], []])
    assert.equal(first.counts.invoices, 3)
    assert.deepEqual(await proven(), ['2026-03', '2026-04'])
    const next = await check(false)
    assert.deepEqual([next.differences, next.changed], [[], []])
    assert.deepEqual(next.proven, ['2026-03', '2026-04'])
    const { counts } = next
    assert.deepEqual(
      [counts['ledger transactions'], counts.invoices, counts['charges at the processor']],
      [1, 1, 1],
    )
    const whole = await check(true)
    assert.deepEqual([whole.counts.invoices, whole.counts['charges at the processor']], [3, 3])
  })

  const faults: Record<string, [rule: string, plant: (tx: Db) => Promise<unknown>]> = {
    'an added transaction': [
      'a posting has its cause',
      (tx) => {
        const owner = testId('sel_1')
        const facts = { payout_id: testId('po_unknown'), account: 'seller_payable' } as const
        const posting = ledger.payout({ ...facts, owner, amount: cents(5000) })
        return ledger.post(tx, new Date('2026-04-20'), testId('txn_planted'), posting)
      },
    ],
    'an amount that changed': [
      'sale is posted',
      (tx) =>
        tx.run(sql`update ledger_entries set amount = amount + case account when 'fees' then 1 else -1 end
          where transaction_id in ${IN_APRIL} and account in ('fees', 'seller_payable')`),
    ],
    'an owner that changed': [
      'sale is posted',
      (tx) =>
        tx.run(sql`update ledger_entries set owner = 'sel_other'
          where transaction_id in ${IN_APRIL} and account = 'seller_payable'`),
    ],
    'an entry that was deleted': [
      'a transaction sums to zero',
      (tx) =>
        tx.run(sql`delete from ledger_entries
          where transaction_id in ${IN_APRIL} and account = 'fees'`),
    ],
  }
  for (const [fault, [rule, plant]] of Object.entries(faults)) {
    test(`is checked again after ${fault}`, async () => {
      const found = await afterFault(plant)
      assert.deepEqual([found.proven, found.changed], [['2026-03'], ['2026-04']])
      assert.ok(
        found.differences.some((each) => each.rule === rule),
        JSON.stringify(found.differences),
      )
    })
  }

  test('stays proven when one of its sales is refunded later, which is checked', async () => {
    const { clock } = service
    clock.reset('2026-05-07T12:00:00Z')
    const sale = await buy(service)
    clock.reset('2026-06-02T12:00:00Z')
    await check(false)
    assert.deepEqual(await proven(), ['2026-03', '2026-04', '2026-05'])
    await refund(service, sale)
    const { proven: left_out, counts, differences } = await check(false)
    assert.deepEqual(differences, [])
    assert.deepEqual(left_out, ['2026-03', '2026-04', '2026-05'])
    assert.deepEqual([counts.invoices, counts.refunds], [undefined, 1])
    assert.equal(counts['refunds at the processor'], 1)
  })

  test('is proven no longer after a whole check with a difference, as on Sundays', async () => {
    const { world, clock } = service
    const alarms = async () => (await openAlarms(world.db)).length
    await check(true)
    await world.db.run(sql`update invoices set fee = fee + 1
      where id in (select subject from ledger_transactions where id in ${IN_APRIL})`)
    for (const [night, open, months] of [
      ['2026-06-06', 0, 3],
      ['2026-06-07', 1, 0],
      ['2026-06-08', 1, 0],
    ] as const) {
      clock.reset(`${night}T03:50:00Z`)
      await checkNightly(world)
      assert.deepEqual([await alarms(), (await proven()).length], [open, months], night)
    }
  })
})
