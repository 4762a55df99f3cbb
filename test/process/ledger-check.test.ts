import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { after, before, describe, test } from 'node:test'
import {
  type Processor,
  type ProcessorRecord,
  type ProcessorRecords,
  ProcessorUnreachable,
} from '#domain/payments'
import { checkBooks } from '#flows/check-books'
import { payOut } from '#flows/pay-out'
import { fileMonth } from '#flows/remit-tax'
import { payBuyerOtherwise, recordRepayment, writeOffExcess } from '#flows/staff-actions'
import type { Db } from '#platform/db'
import type { InvoiceId, UserId } from '#platform/ids'
import { cents } from '#platform/money'
import { sql } from '#platform/sql'
import { handleEvents } from '#surfaces/processor-events/worker'
import { bankSandbox, decideDispute, disputeCharge } from '../support/disputes.ts'
import { testId } from '../support/ids.ts'
import { BANKS, payeeOf, withBank } from '../support/payees.ts'
import { buy, refund } from '../support/refunds.ts'
import {
  createReopenableDatabase,
  type ReopenableDatabase,
} from '../support/reopenable-database.ts'
import { openTestService, type TestService } from '../support/service.ts'
import { FAULTS_OF_BUYERS } from './ledger-check/buyer-faults.ts'
import { FAULTS_OUTSIDE } from './ledger-check/outside-faults.ts'
import { aSale, idOf, type Outside, type Readings } from './ledger-check/planted-fault.ts'
import { FAULTS_OF_SUSPENSE } from './ledger-check/suspense-faults.ts'
import { FAULTS_OF_TABLES } from './ledger-check/table-faults.ts'

const DAY = 86_400
const SETTLEMENTS = [
  'buyer_payments',
  'buyer_payment_parts',
  'excess_repayments',
  'excess_parts',
  'write_offs',
]
const FAR_OFF = new Date('9999-01-01T00:00:00Z')

let database: ReopenableDatabase
let service: TestService
before(async () => {
  database = await createReopenableDatabase()
  const { DATA_DIR } = database.settings
  service = await openTestService({ db: await database.open(), settings: { DATA_DIR: DATA_DIR! } })
  await trade()
})
after(() => database?.drop())

/** Trades so that each kind of posting is made at least once. */
async function trade(): Promise<void> {
  const { world, demo } = service
  const query = `?ref=${demo.affiliate.code}`
  const whole = await buy(service, { price: 2, query })
  await refund(service, whole, 500)
  await refund(service, await buy(service, { price: 2 }))
  const [won, lost, open] = [await buy(service, { query }), await buy(service), await buy(service)]
  await decideDispute(service, await disputeCharge(service, won.charge), 'won')
  await decideDispute(service, await disputeCharge(service, lost.charge), 'lost')
  const comes_back = await buy(service, { card: '4000000000005126' })
  await refund(service, comes_back)
  const made_again = await buy(service, { card: '4000000000005126' })
  await refund(service, made_again, 500)
  const seller = await payeeOf(service, 'seller')
  for (const bank of [BANKS.closed, BANKS.works]) {
    await withBank(service, 'seller', bank)
    service.clock.pass(8 * DAY)
    await payOut(world, { ...seller, cause: 'request' })
    service.clock.pass(DAY)
    await handleEvents(world)
  }
  await disputeCharge(service, open.charge)
  service.clock.pass(14 * DAY)
  const again = { charge_id: made_again.charge.processor_charge_id, amount: cents(500) }
  await bankSandbox(service).refundOutside(service.clock.now(), again)
  await handleEvents(world)
  await buy(service, { price: 2 })
  const row = sql`select id from users where email_normalized = ${demo.operator.email}`
  const { id: user_id } = await world.db.one<{ id: UserId }>(row)
  const filing = { state: 'TX', month: '2026-03', filing_reference: 'TX-1' }
  const actor = { kind: 'staff', user_id, request_id: 'req_1' } as const
  const staff = { ...actor, reason: 'Check 17' }
  assert.ok(await payBuyerOtherwise(world, staff, { user_id: comes_back.user_id }))
  const too_much = { charge_id: comes_back.charge.processor_charge_id, amount: cents(700) }
  await bankSandbox(service).refundOutside(service.clock.now(), too_much)
  await handleEvents(world)
  const { user_id: payer_id } = comes_back
  const paid = { way: 'check', reference: '12', paid_on: '2026-04-01' } as const
  const repayment = { id: testId('exr_1'), user_id: payer_id, amount: cents(300), ...paid }
  const { outcome } = await recordRepayment(world, actor, repayment)
  assert.equal(outcome, 'recorded')
  const rest = { user_id: payer_id, seen: cents(400) }
  assert.equal(await writeOffExcess(world, staff, rest), 400)
  const filed = await fileMonth(world, actor, filing)
  assert.equal(filed.outcome, 'filed')
}

class Rollback extends Error {}

/** The processor's current records. */
async function readOutside(): Promise<Outside> {
  const { processor } = service.world
  const all = async (kind: keyof ProcessorRecords) => {
    const records: ProcessorRecord[] = []
    for await (const each of processor[kind](new Date(0), FAR_OFF)) records.push(each)
    return records
  }
  return {
    charges: await all('charges'),
    refunds: await all('refunds'),
    payouts: await all('payouts'),
    disputes: await all('disputes'),
  }
}

/** A processor with these records. */
function processorOf(outside: Outside): Processor {
  const listing = (kind: keyof ProcessorRecords) =>
    async function* list(from: Date, before: Date) {
      yield* outside[kind].filter(({ at }) => at >= from && at < before)
    }
  return {
    ...service.world.processor,
    charges: listing('charges'),
    refunds: listing('refunds'),
    payouts: listing('payouts'),
    disputes: listing('disputes'),
  }
}

/** The differences that the check finds after a fault was planted; the fault is rolled back. */
async function afterPlanting(plant: (tx: Db, readings: Readings) => Promise<unknown>) {
  let found: string[] = []
  const outside = await readOutside()
  await service.world.db
    .tx(async (tx) => {
      const append_only = ['ledger_entries', 'ledger_transactions']
      for (const table of [...append_only, ...SETTLEMENTS]) {
        await tx.raw(`alter table ${table} disable trigger user`)
      }
      const { clock } = service
      await plant(tx, { now: clock.now(), outside })
      const { differences } = await checkBooks({ db: tx, clock, processor: processorOf(outside) })
      found = differences.map(({ rule, subject, detail }) => `${subject}: ${rule}: ${detail}`)
      throw new Rollback()
    })
    .catch((error) => {
      if (!(error instanceof Rollback)) throw error
    })
  return found
}

const aboutOutside = (found: string[]) =>
  found.filter((line) => line.includes('the processor') && !line.includes('the cash account'))

describe('the check of the books', () => {
  test('finds no difference after every kind of posting', async () => {
    const { counts, differences } = await checkBooks(service.world)
    assert.deepEqual(differences, [])
    for (const [what, least] of [
      ['invoices', 7],
      ['refunds', 3],
      ['disputes', 3],
      ['payouts', 2],
      ['remittances', 1],
      ['payments to buyers', 1],
      ['repayments by buyers', 1],
      ['charges at the processor', 7],
      ['refunds at the processor', 3],
      ['payouts at the processor', 2],
      ['disputes at the processor', 3],
    ] as const) {
      assert.ok(counts[what]! >= least, `${what}: ${counts[what]}`)
    }
  })

  const faults = {
    ...FAULTS_OF_TABLES,
    ...FAULTS_OF_BUYERS,
    ...FAULTS_OF_SUSPENSE,
    ...FAULTS_OUTSIDE,
  }
  for (const [fault, { rule, plant }] of Object.entries(faults)) {
    test(`names ${fault}`, async () => {
      let subject = ''
      const found = await afterPlanting(async (tx, readings) => {
        subject = await plant(tx, readings)
      })
      assert.ok(
        found.some((line) => line.startsWith(`${subject}: ${rule}: `)),
        `${subject}: ${rule} is not among\n${found.join('\n')}`,
      )
    })
  }

  test('ignores payments that are pending on either side', async () => {
    const found = await afterPlanting(async (tx, { outside }) => {
      const moved = outside.charges.at(-1)!
      const open = await idOf(
        tx,
        sql`update attempts set status = 'open' where id = ${moved.key}
        returning id`,
      )
      outside.charges.push({ ...moved, id: 'ch_unwritten', key: open })
      const refund = await idOf(
        tx,
        sql`update refunds set status = 'open',
          processor_refund_id = null where status = 'succeeded'
          and id = (select min(id) from refunds where status = 'succeeded') returning id`,
      )
      assert.ok(outside.refunds.some(({ key }) => key === refund))
      const by_hand = { id: 're_by_hand', key: null, is_unconfirmed: true }
      outside.refunds.push({ ...outside.refunds[0]!, ...by_hand })
      const won = outside.disputes.find(({ moved }) => moved === 0)!
      Object.assign(won, { moved: -won.amount, is_unconfirmed: true })
    })
    assert.deepEqual(aboutOutside(found), [])
  })

  test('reports differences on the books, and that the processor was not reached', async () => {
    const charges: Processor['charges'] = () => {
      throw new ProcessorUnreachable('no answer')
    }
    const { world } = service
    const processor = { ...world.processor, charges }
    const { counts, differences } = await checkBooks({ ...world, processor })
    const rule = 'the books were compared with the processor'
    assert.deepEqual(differences, [{ rule, subject: 'sandbox', detail: 'no answer' }])
    assert.ok(counts.invoices! >= 7)
  })

  test("expects the add-on's fee while it was on", async () => {
    const rule = 'a fee follows its terms'
    const turned = async (tx: Db, is_on: boolean, at: Date) => {
      await tx.run(sql`insert into add_on_switches (app_id, at, is_on)
        select id, ${at}, ${is_on} from apps where id = ${service.demo.app.client_id}`)
    }
    const afterSwitches = async (...switches: boolean[]) => {
      const found = await afterPlanting(async (tx) => {
        const long_ago = new Date('2025-01-01T00:00:00Z')
        await tx.run(sql`update apps set addon_enabled_at = ${long_ago}
          where id = ${service.demo.app.client_id}`)
        for (const is_on of switches) await turned(tx, is_on, long_ago)
      })
      return found.filter((line) => line.includes(rule)).length
    }
    assert.ok((await afterSwitches(true)) >= 7)
    assert.equal(await afterSwitches(true, false), 0)
    assert.ok((await afterSwitches(true, false, true)) >= 7)
  })

  test('counts a difference only if a second reading finds it again', async () => {
    const outside = await readOutside()
    const { processor, db } = { ...service.world, processor: processorOf(outside) }
    const at = service.clock.now()
    const late: ProcessorRecord = { ...outside.charges[0]!, at }
    let reads = 0
    const charges: Processor['charges'] = async function* list(from, before) {
      reads++
      // At first the last charge is not listed yet, and the first one has its earlier state.
      const now = reads === 1 ? outside.charges.slice(1) : [late, ...outside.charges.slice(1)]
      for (const each of now) {
        const was = reads === 1 && each === outside.charges[1] ? { amount: cents(1) } : {}
        if (each.at >= from && each.at < before) yield { ...each, ...was }
      }
    }
    const { clock } = service
    const { differences } = await checkBooks({ db, clock, processor: { ...processor, charges } })
    assert.deepEqual(differences, [])
    assert.ok(reads > 1)
  })

  test('prints one line per difference, and exits with 1 if there is any', async () => {
    const run = (...options: string[]) => {
      const script = ['scripts/ledger-check.ts', ...options]
      const program = ['--import', './scripts/register-tsx.mjs', ...script]
      const env = { PATH: process.env.PATH, ...database.settings, NODE_ENV: 'test' }
      return spawnSync(process.execPath, program, { env, encoding: 'utf8' })
    }
    const { id } = await service.world.db.one<{ id: InvoiceId }>(aSale)
    await service.close()
    const sound = run()
    assert.equal(sound.status, 0, sound.stderr)
    assert.match(sound.stdout, /^Looked at ledger transactions: \d+, .*\nThe books agree\.\n$/)
    const short = run('--incremental')
    assert.equal(short.status, 0, short.stderr)
    assert.match(
      short.stdout,
      /^Proven before: 2026-03 to \d{4}-\d{2}\.\nLooked at .*\nThe books agree\.\n$/,
    )
    const db = await database.open()
    await db.run(sql`update invoices set fee = fee + 1 where id = ${id}`)
    await db.close()
    const wrong = run()
    assert.equal(wrong.status, 1)
    const lines = wrong.stdout.split('\n')
    assert.ok(lines.some((line) => line.startsWith(`${id}: a fee follows its terms: the fee on `)))
    assert.match(wrong.stdout, /\n\d+ differences?\.\n$/)
  })
})
