import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { after, before, describe, test } from 'node:test'
import * as ledger from '#domain/ledger'
import { type Listed, type Listings, type Processor, ProcessorUnreachable } from '#domain/payments'
import { sumBalances } from '#domain/payouts'
import { sumTaxes } from '#domain/tax'
import { checkBooks } from '#flows/check-books'
import { payOut } from '#flows/pay-out'
import { fileMonth } from '#flows/remit-tax'
import { payBuyerOtherwise } from '#flows/staff-actions'
import type { Db } from '#platform/db'
import { cents } from '#platform/money'
import { sql } from '#platform/sql'
import { handleEvents } from '#surfaces/processor-events/worker'
import { decide, objectTo } from '../support/disputes.ts'
import { type KeptDatabase, keepDatabase } from '../support/kept-database.ts'
import { BANKS, payeeOf, withBank } from '../support/payees.ts'
import { buy, refund } from '../support/refunds.ts'
import { openTestService, type TestService } from '../support/service.ts'

const DAY = 86_400
const FAR_OFF = new Date('9999-01-01T00:00:00Z')

let database: KeptDatabase
let service: TestService
before(async () => {
  database = await keepDatabase()
  const { DATA_DIR } = database.settings
  service = await openTestService({ db: await database.open(), settings: { DATA_DIR: DATA_DIR! } })
  await play()
})
after(() => database?.drop())

/** Everything that is posted, at least once. */
async function play(): Promise<void> {
  const { world, demo } = service
  const query = `?ref=${demo.affiliate.code}`
  const whole = await buy(service, { price: 2, query })
  await refund(service, whole, 500)
  await refund(service, await buy(service, { price: 2 }))
  const [won, lost, open] = [await buy(service, { query }), await buy(service), await buy(service)]
  await decide(service, await objectTo(service, won.charge), 'won')
  await decide(service, await objectTo(service, lost.charge), 'lost')
  const comes_back = await buy(service, { card: '4000000000005126' })
  await refund(service, comes_back)
  const seller = await payeeOf(service, 'seller')
  for (const bank of [BANKS.closed, BANKS.works]) {
    await withBank(service, 'seller', bank)
    service.clock.pass(8 * DAY)
    await payOut(world, { ...seller, cause: 'request' })
    service.clock.pass(DAY)
    await handleEvents(world)
  }
  await objectTo(service, open.charge)
  service.clock.pass(14 * DAY)
  await buy(service, { price: 2 })
  const row = sql`select id from users where email_normalized = ${demo.operator.email}`
  const { id: user_id } = await world.db.one<{ id: string }>(row)
  const filing = { state: 'TX', month: '2026-03', filing_reference: 'TX-1' }
  const actor = { kind: 'staff', user_id, request_id: 'req_1' } as const
  const staff = { ...actor, reason: 'Check 17' }
  assert.ok(await payBuyerOtherwise(world, staff, comes_back.user_id))
  const filed = await fileMonth(world, actor, filing)
  assert.equal(filed.outcome, 'filed')
}

class Undo extends Error {}

/** What the processor has on record, by its kinds. */
type Outside = Record<keyof Listings, Listed[]>

async function readOutside(): Promise<Outside> {
  const { processor } = service.world
  const all = async (kind: keyof Listings) => {
    const records: Listed[] = []
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

/** A processor that has this on record. */
function processorOf(outside: Outside): Processor {
  const listing = (kind: keyof Listings) =>
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

/** A wrong that is done to the tables, or to what the processor has; its subject. */
type Plant = (tx: Db, outside: Outside) => Promise<string>

/** What the check finds after a wrong was planted; the wrong is undone. */
async function afterPlanting(plant: (tx: Db, outside: Outside) => Promise<unknown>) {
  let found: string[] = []
  const outside = await readOutside()
  await service.world.db
    .tx(async (tx) => {
      for (const table of ['ledger_entries', 'ledger_transactions', 'buyer_payments']) {
        await tx.raw(`alter table ${table} disable trigger user`)
      }
      await plant(tx, outside)
      const { clock } = service
      const { differences } = await checkBooks({ db: tx, clock, processor: processorOf(outside) })
      found = differences.map(({ rule, subject, words }) => `${subject}: ${rule}: ${words}`)
      throw new Undo()
    })
    .catch((error) => {
      if (!(error instanceof Undo)) throw error
    })
  return found
}

const idOf = async (tx: Db, statement: ReturnType<typeof sql>) =>
  (await tx.one<{ id: string }>(statement)).id
const aSale = sql`select subject as id from ledger_transactions where event = 'sale'
  order by at, id limit 1`
const ofSale = (id: string, account: string) => sql`e.transaction_id =
  (select t.id from ledger_transactions t where t.event = 'sale' and t.subject = ${id})
  and e.account = ${account}`

/** A wrong, the rule that it breaks, and how it is planted. */
const WRONGS: Record<string, { rule: string; plant: Plant }> = {
  'a cent that moved from the fee to the seller': {
    rule: 'sale is posted',
    async plant(tx) {
      const id = await idOf(tx, aSale)
      for (const [account, cent] of [
        ['fees', 1],
        ['seller_payable', -1],
      ] as const) {
        await tx.run(
          sql`update ledger_entries e set amount = amount + ${cent} where ${ofSale(id, account)}`,
        )
      }
      return id
    },
  },
  'a line that lost a cent': {
    rule: 'a transaction sums to zero',
    async plant(tx) {
      const id = await idOf(tx, aSale)
      await tx.run(sql`update ledger_entries e set amount = amount + 1 where ${ofSale(id, 'fees')}`)
      return await idOf(tx, sql`select id from ledger_transactions where subject = ${id}`)
    },
  },
  'a posting that nothing led to': {
    rule: 'a posting has its cause',
    async plant(tx) {
      const facts = { payout_id: 'po_nobody', account: 'seller_payable', owner: 'sel_1' } as const
      const posting = ledger.payout({ ...facts, amount: cents(5000) })
      await ledger.post(tx, service.clock.now(), 'txn_planted', posting)
      return 'po_nobody'
    },
  },
  'a sale that is not on the books': {
    rule: 'sale is posted',
    async plant(tx) {
      const id = await idOf(
        tx,
        sql`select t.subject as id from ledger_transactions t where t.event = 'sale'
          and not exists (select 1 from payout_lines l where l.transaction_id = t.id) limit 1`,
      )
      await tx.run(sql`delete from ledger_entries e using ledger_transactions t
        where t.id = e.transaction_id and t.subject = ${id}`)
      await tx.run(sql`delete from ledger_transactions where subject = ${id}`)
      return id
    },
  },
  'a fee that is not what its terms make': {
    rule: 'a fee follows its terms',
    async plant(tx) {
      const id = await idOf(tx, aSale)
      await tx.run(sql`update invoices set fee = fee + 1 where id = ${id}`)
      return id
    },
  },
  'a commission above a quarter': {
    rule: 'a commission is a quarter of the fee',
    async plant(tx) {
      const id = await idOf(tx, sql`select id from invoices where commission > 0 limit 1`)
      await tx.run(sql`update invoices set commission = commission + 1 where id = ${id}`)
      return id
    },
  },
  // R14
  'a sum of tax that its lines do not make': {
    rule: 'sums of tax are those of the lines',
    async plant(tx) {
      await sumTaxes(tx, 1000)
      await tx.run(sql`update tax_sums set tax = tax + 1 where state = 'TX' and event = 'sale'
        and month = '2026-03'`)
      return 'TX 2026-03'
    },
  },
  'a quote that its rule does not make': {
    rule: 'a quote follows its rule',
    async plant(tx) {
      const id = await idOf(tx, aSale)
      await tx.run(sql`update tax_quotes set tax = tax + 1
        where id = (select tax_quote_id from invoices where id = ${id})`)
      return id
    },
  },
  // M7
  'a charge by a rate that was no longer in force': {
    rule: 'a charge follows the rate of its day',
    async plant(tx) {
      const id = await idOf(tx, aSale)
      await tx.run(sql`update tax_quotes set rule = 'US-DC:2020-01-01:taxable', state = 'DC',
          rate_ppm = 60000, taxable_ppm = 1000000, tax = round(amount * 0.06)
        where id = (select tax_quote_id from invoices where id = ${id})`)
      await tx.run(sql`update invoices i set tax = q.tax from tax_quotes q
        where q.id = i.tax_quote_id and i.id = ${id}`)
      await tx.run(sql`update invoices set created_at = '2026-10-01T00:00:00Z' where id = ${id}`)
      return id
    },
  },
  'a charge of another amount than the bill': {
    rule: 'a paid invoice has its charge',
    async plant(tx) {
      const id = await idOf(tx, aSale)
      await tx.run(sql`update charges set amount = amount - 1 where invoice_id = ${id}`)
      return id
    },
  },
  'a refund whose tax is not its share': {
    rule: 'a refund is divided like its invoice',
    async plant(tx) {
      const id = await idOf(tx, sql`select id from refunds order by amount limit 1`)
      await tx.run(sql`update refunds set tax = tax + 1 where id = ${id}`)
      return await idOf(
        tx,
        sql`select c.invoice_id as id from refunds r join charges c on c.id = r.charge_id
          where r.id = ${id}`,
      )
    },
  },
  'a refund that was refused, and posted': {
    rule: 'refund is posted',
    async plant(tx) {
      const id = await idOf(tx, sql`select id from refunds where status = 'succeeded' limit 1`)
      await tx.run(sql`update refunds set status = 'refused' where id = ${id}`)
      return id
    },
  },
  'a dispute that was lost, and posted as won': {
    rule: 'dispute_lost is posted',
    async plant(tx) {
      const id = await idOf(tx, sql`select id from disputes where status = 'won'`)
      await tx.run(sql`update disputes set status = 'lost' where id = ${id}`)
      return id
    },
  },
  'a payout that pays more than its lines': {
    rule: 'a payout is the sum of its lines',
    async plant(tx) {
      const id = await idOf(tx, sql`select id from payouts where status = 'paid'`)
      await tx.run(sql`update payouts set amount = amount + 1 where id = ${id}`)
      return id
    },
  },
  'a line that was paid out while it was held': {
    rule: 'a payout pays what is available',
    async plant(tx) {
      const id = await idOf(tx, sql`select id from payouts where status = 'failed'`)
      await tx.run(sql`update payouts set created_at = created_at - interval '10 days'
        where id = ${id}`)
      return id
    },
  },
  'a payout that came back, and is not owed again': {
    rule: 'payout_failed is posted',
    async plant(tx) {
      const id = await idOf(tx, sql`select id from payouts where status = 'paid'`)
      await tx.run(sql`update payouts set status = 'failed' where id = ${id}`)
      return id
    },
  },
  // R14
  'a running balance that lost a cent': {
    rule: 'a running balance is that of the ledger',
    async plant(tx) {
      await sumBalances(tx, 1000)
      const owner = await idOf(tx, sql`select owner as id from payee_balances limit 1`)
      await tx.run(sql`update payee_balances set amount = amount + 1 where owner = ${owner}`)
      return owner
    },
  },
  'a line that no payout took, and that is not listed': {
    rule: 'an unpaid line is listed',
    async plant(tx) {
      const id = await idOf(tx, sql`select transaction_id as id from unpaid_lines limit 1`)
      await tx.run(sql`delete from unpaid_lines where transaction_id = ${id}`)
      return id
    },
  },
  'a line that is listed though a payout took it': {
    rule: 'an unpaid line is listed',
    async plant(tx) {
      const id = await idOf(tx, sql`select transaction_id as id from payout_lines limit 1`)
      await tx.run(sql`insert into unpaid_lines select * from payee_lines
        where transaction_id = ${id} on conflict do nothing`)
      return id
    },
  },
  'a write-off that is not posted': {
    rule: 'write_off is posted',
    async plant(tx) {
      const id = 'wof_planted'
      const debt = { account: 'seller_payable', owner: 'sel_1', amount: cents(100) } as const
      const by = { written_off_by: 'usr_1', reason: 'planted' }
      await ledger.addWriteOff(tx, service.clock.now(), { id, ...debt, ...by })
      return id
    },
  },
  'a posting of a write-off that is not on record': {
    rule: 'a posting has its cause',
    async plant(tx) {
      const debt = { account: 'seller_payable', owner: 'sel_1', amount: cents(100) } as const
      const posting = ledger.writeOff({ write_off_id: 'wof_planted', ...debt })
      await ledger.post(tx, service.clock.now(), 'txn_planted', posting)
      return 'wof_planted'
    },
  },
  'a payment to a buyer of another amount than was posted': {
    rule: 'buyer_paid is posted',
    async plant(tx) {
      const id = await idOf(tx, sql`select id from buyer_payments`)
      await tx.run(sql`update buyer_payments set amount = amount + 1 where id = ${id}`)
      return id
    },
  },
  'a posting of a payment to a buyer that is not on record': {
    rule: 'a posting has its cause',
    async plant(tx) {
      const id = await idOf(tx, sql`select id from buyer_payments`)
      await tx.run(sql`delete from buyer_payments where id = ${id}`)
      return id
    },
  },
  'a filing of another figure than its month': {
    rule: 'a filing is its month',
    async plant(tx) {
      const id = await idOf(tx, sql`select id from remittances`)
      await tx.run(sql`update remittances set collected = collected - 1 where id = ${id}`)
      return id
    },
  },
  'a refund of another name than the processor has': {
    rule: 'a refund is one that the processor made',
    async plant(tx) {
      const id = await idOf(tx, sql`select id from refunds where status = 'succeeded' limit 1`)
      await tx.run(sql`update refunds set processor_refund_id = 're_planted' where id = ${id}`)
      return id
    },
  },
  'a payout of another name than the processor has': {
    rule: 'a payout is one that the processor made',
    async plant(tx) {
      const id = await idOf(tx, sql`select id from payouts where status = 'paid'`)
      await tx.run(sql`update payouts set processor_payout_id = 'po_planted' where id = ${id}`)
      return id
    },
  },
}

/** For each kind: our table, its column with the processor's name, and its two rules. */
const OUTSIDE_RULES = {
  charges: {
    ours: 'processor_charge_id',
    made: 'a charge is one that the processor made',
    known: 'a charge at the processor is recorded',
  },
  refunds: {
    ours: 'processor_refund_id',
    made: 'a refund is one that the processor made',
    known: 'a refund at the processor is recorded',
  },
  payouts: {
    ours: 'processor_payout_id',
    made: 'a payout is one that the processor made',
    known: 'a payout at the processor is recorded',
  },
  disputes: {
    ours: 'processor_dispute_id',
    made: 'a dispute is one that the processor reported',
    known: 'a dispute at the processor is recorded',
  },
} as const
const MOVED_AS_BOOKED = 'the processor moved what the books say'

for (const [name, { ours, made, known }] of Object.entries(OUTSIDE_RULES)) {
  const kind = name as keyof Listings
  const ourId = async (tx: Db, id: string) => {
    const { rows } = await tx.raw(`select id from ${kind} where ${ours} = $1`, [id])
    return (rows[0] as { id: string }).id
  }
  /** The record of the processor that moved money last. */
  const lastOf = (outside: Outside) => outside[kind].findLast(({ moved }) => moved !== 0)!
  Object.assign(WRONGS, {
    [`${kind} that the processor does not have`]: {
      rule: made,
      async plant(tx, outside) {
        const [gone] = outside[kind].splice(outside[kind].indexOf(lastOf(outside)), 1)
        return await ourId(tx, gone!.id!)
      },
    },
    [`${kind} of another amount at the processor`]: {
      rule: made,
      async plant(tx, outside) {
        const record = lastOf(outside)
        record.amount = cents(record.amount + 1)
        return await ourId(tx, record.id!)
      },
    },
    [`${kind} of the processor that are not on the books`]: {
      rule: known,
      async plant(_, outside) {
        const planted = { id: 'planted', key: 'planted_key' }
        outside[kind].push({ ...lastOf(outside), ...planted })
        return planted.id
      },
    },
    [`${kind} that moved other money at the processor`]: {
      rule: MOVED_AS_BOOKED,
      async plant(tx, outside) {
        const record = lastOf(outside)
        record.moved = cents(0)
        return await ourId(tx, record.id!)
      },
    },
    [`${kind} that moved other money on the books`]: {
      rule: MOVED_AS_BOOKED,
      async plant(tx, outside) {
        const { id } = lastOf(outside)
        const subject = await ourId(tx, id!)
        const of = kind === 'charges' ? '(select invoice_id from charges where id = $1)' : '$1'
        await tx.raw(
          `update ledger_entries e set amount = e.amount + 1 from ledger_transactions t
          where t.id = e.transaction_id and e.account = 'processor' and t.subject = ${of}`,
          [subject],
        )
        return subject
      },
    },
  } satisfies typeof WRONGS)
}

const aboutOutside = (found: string[]) =>
  found.filter((line) => line.includes('the processor') && !line.includes('the cash account'))

describe('the check of the books', () => {
  test('agrees with a sound database in which everything has happened', async () => {
    const { counts, differences } = await checkBooks(service.world)
    assert.deepEqual(differences, [])
    for (const [what, least] of [
      ['invoices', 7],
      ['refunds', 3],
      ['disputes', 3],
      ['payouts', 2],
      ['remittances', 1],
      ['payments to buyers', 1],
      ['charges at the processor', 7],
      ['refunds at the processor', 3],
      ['payouts at the processor', 2],
      ['disputes at the processor', 3],
    ] as const) {
      assert.ok(counts[what]! >= least, `${what}: ${counts[what]}`)
    }
  })

  for (const [wrong, { rule, plant }] of Object.entries(WRONGS)) {
    test(`names ${wrong}`, async () => {
      let subject = ''
      const found = await afterPlanting(async (tx, outside) => {
        subject = await plant(tx, outside)
      })
      assert.ok(
        found.some((line) => line.startsWith(`${subject}: ${rule}: `)),
        `${subject}: ${rule} is not among\n${found.join('\n')}`,
      )
    })
  }

  test('says nothing of what is on its way, on neither side', async () => {
    const found = await afterPlanting(async (tx, outside) => {
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
      const by_hand = { id: 're_by_hand', key: null, is_unheard: true }
      outside.refunds.push({ ...outside.refunds[0]!, ...by_hand })
      const won = outside.disputes.find(({ moved }) => moved === 0)!
      Object.assign(won, { moved: -won.amount, is_unheard: true })
    })
    assert.deepEqual(aboutOutside(found), [])
  })

  test('names what differs on the books, and that the processor was not reached', async () => {
    const charges: Processor['charges'] = () => {
      throw new ProcessorUnreachable('no answer')
    }
    const { world } = service
    const processor = { ...world.processor, charges }
    const { counts, differences } = await checkBooks({ ...world, processor })
    const rule = 'the books were compared with the processor'
    assert.deepEqual(differences, [{ rule, subject: 'sandbox', words: 'no answer' }])
    assert.ok(counts.invoices! >= 7)
  })

  test('expects the fee of the add-on while it was on, by its switches', async () => {
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

  test('counts what differs only where it differs when both sides are read again', async () => {
    const outside = await readOutside()
    const { processor, db } = { ...service.world, processor: processorOf(outside) }
    const at = service.clock.now()
    const late: Listed = { ...outside.charges[0]!, at }
    let reads = 0
    const charges: Processor['charges'] = async function* list(from, before) {
      reads++
      // At first the last charge is not listed yet, and the first one is as it was before.
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

  test('tells an operator in plain lines, and ends with 1 where something differs', async () => {
    const run = () => {
      const program = ['--import', './scripts/register-tsx.mjs', 'scripts/ledger-check.ts']
      const env = { PATH: process.env.PATH, ...database.settings, NODE_ENV: 'test' }
      return spawnSync(process.execPath, program, { env, encoding: 'utf8' })
    }
    const { id } = await service.world.db.one<{ id: string }>(aSale)
    await service.close()
    const sound = run()
    assert.equal(sound.status, 0, sound.stderr)
    assert.match(sound.stdout, /^Looked at \d+ ledger transactions, .*\nThe books agree\.\n$/)
    const db = await database.open()
    await db.run(sql`update invoices set fee = fee + 1 where id = ${id}`)
    await db.close()
    const wrong = run()
    assert.equal(wrong.status, 1)
    const lines = wrong.stdout.split('\n')
    assert.ok(lines.some((line) => line.startsWith(`${id}: a fee follows its terms: the fee on `)))
    assert.match(wrong.stdout, /\n\d+ differences\.\n$/)
  })
})
