import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import * as apps from '#domain/apps'
import * as identity from '#domain/identity'
import * as imports from '#domain/imports'
import * as licensing from '#domain/licensing'
import { deleteAccount } from '#flows/account'
import { checkImport, choosePlans, readImport, uploadImport } from '#flows/imports'
import { addDays, isoDate } from '#platform/calendar'
import { sql } from '#platform/sql'
import { rowsAtOnce } from '../../src/flows/imports/batch.ts'
import { openOwner } from '../support/account.ts'
import { untilBlocked } from '../support/blocked.ts'
import { FULL_ONLY } from '../support/budget.ts'
import { checkedImport, importer, paidProducts, runChecked } from '../support/imports.ts'
import { assertInvariantsAndClose } from '../support/invariants.ts'
import {
  checkFile,
  LEMON_HEADING,
  lemonFileOf,
  runFile,
  stateOfKey,
} from '../support/lemon-squeezy.ts'
import { emailTo } from '../support/mailbox.ts'
import { openTestService, type TestService } from '../support/service.ts'

let service: TestService
before(async () => {
  service = await openTestService()
})
after(() => assertInvariantsAndClose(service))

/** Everything that an import could change, as text. */
async function everything(): Promise<string> {
  const { text } = await service.world.db.one<{ text: string }>(sql`select jsonb_build_array(
    (select jsonb_agg(to_jsonb(t) order by t.id) from licenses t),
    (select jsonb_agg(to_jsonb(t) order by t.id) from license_history t),
    (select jsonb_agg(to_jsonb(t) order by t.key_hash) from license_key_aliases t),
    (select jsonb_agg(to_jsonb(t) order by t.external_id) from imported_records t),
    (select jsonb_agg(to_jsonb(t) order by t.id) from users t),
    (select jsonb_agg(t.cause order by t.id) from emails t),
    (select count(*) from ledger_entries), (select count(*) from invoices))::text as text`)
  return text
}

describe('a dry run', () => {
  test('counts what would be done, and changes nothing', async () => {
    const before_it = await everything()
    const file = lemonFileOf(service, [
      { email: 'dry-1@example.com', days: 20, key: 'dry-key-1' },
      { email: 'dry-1@example.com', key: 'dry-key-2' },
      { email: 'dry-2@example.com', days: -3 },
      { email: 'no address', days: 20 },
    ])
    const { counts, rows, faults, status } = await checkFile(service, file)
    assert.deepEqual(counts, { create: 1, add_key: 1, over: 1 })
    assert.deepEqual([rows, faults, status], [3, 1, 'checked'])
    assert.equal(await everything(), before_it)
  })

  test('counts the end of a license once, as the import does', async () => {
    const paid = { id: 951, email: 'dry-twice@example.com', key: 'dry-twice' }
    await runFile(service, lemonFileOf(service, [{ ...paid, days: 20 }]))
    const file = lemonFileOf(service, [
      { ...paid, days: -1, status: 'expired' },
      { ...paid, days: -31, status: 'expired' },
      { ...paid, days: -61, status: 'expired' },
    ])
    const { counts } = await checkFile(service, file)
    assert.deepEqual(counts, { end: 1, over: 2 })
    assert.deepEqual((await runFile(service, file)).counts, counts)
  })

  test('keeps the rows of a file that is read or checked again, as a form sent twice asks', async () => {
    const { world } = service
    const { id, counts } = await checkFile(
      service,
      lemonFileOf(service, [{ days: 30 }, { days: 60 }]),
    )
    await readImport(world, id, async () => {})
    assert.deepEqual((await checkImport(world, id, async () => {})).counts, counts)
    await runChecked(service, id)
    assert.equal(await choosePlans(world, id, { plans: {}, notifies: true }), false)
    await checkImport(world, id, async () => {})
    const { status, rows } = await imports.getImport(world.db, id)
    assert.deepEqual([status, rows], ['done', 2])
  })

  test('reports on the plans that were chosen last, also if that was while it ran', async () => {
    const { world } = service
    const { id, plans, counts } = await checkFile(
      service,
      lemonFileOf(service, [{ days: 30 }, { days: 60 }]),
    )
    const none = Object.fromEntries(Object.keys(plans).map((plan) => [plan, null]))
    await choosePlans(world, id, { plans: none, notifies: false })
    let isLate = false
    const checked = await checkImport(world, id, async () => {
      if (isLate) return
      isLate = true
      await choosePlans(world, id, { plans, notifies: false })
    })
    assert.deepEqual(checked.counts, counts)
    assert.deepEqual((await runChecked(service, id)).counts, counts)
  })

  test('takes the most frequent price of a product with the interval of the same rows', async () => {
    const sale = (id: string, amount: string, interval: string) =>
      [id, `${id}@example.com`, 'Mixed', isoDate(service.clock.now()), amount, interval].join(',')
    const { id } = await checkedImport(service, {
      source: 'gumroad',
      product_id: (await paidProducts(service))[0]!,
      file: [
        'Purchase ID,Email,Item Name,Purchase Date,Item Price ($),Recurrence',
        sale('mixed-1', '8.00', 'monthly'),
        sale('mixed-2', '9.00', 'monthly'),
        sale('mixed-3', '10.00', 'monthly'),
        sale('mixed-4', '90.00', 'yearly'),
        sale('mixed-5', '90.00', 'yearly'),
      ].join('\n'),
    })
    assert.deepEqual(await imports.plansOf(service.world.db, id), [
      { plan: 'Mixed', rows: 5, lasting: 0, amount: 9000, frequency: 'year' },
    ])
  })

  test(
    'of more lines than an import has stops there, also if no line can be read',
    FULL_ONLY,
    async () => {
      const { world } = service
      const notes: string[] = []
      const file = [LEMON_HEADING, ...Array.from({ length: 200_100 }, () => ',,,,,,')].join('\n')
      const { id: app_id, seller_id } = await apps.get(world.db, service.demo.app.client_id)
      const { user_id } = await importer(service)
      const uploaded = await uploadImport(world, {
        app_id,
        seller_id,
        user_id,
        source: 'lemon_squeezy',
        file_name: 'file.csv',
        content: Buffer.from(file),
      })
      assert.ok('id' in uploaded)
      const { rows, faults } = await readImport(world, uploaded.id, async ({ note }) => {
        notes.push(note)
      })
      assert.deepEqual([rows, faults], [0, 200_001])
      const [first] = await imports.faultsOf(world.db, { import_id: uploaded.id, limit: 1 })
      assert.match(first!.message, /^The file has more than 200,000 rows/)
      assert.ok(notes.length > 10, 'its progress is reported, so that it can be canceled')
    },
  )

  test('reads rows with more separators than the heading, unless a value follows them', async () => {
    const [heading, ...lines] = lemonFileOf(service, [{ days: 20 }, { days: 20 }]).split('\n')
    const file = [heading, `${lines[0]},, `, `${lines[1]},,note`].join('\n')
    const { id, rows, faults } = await checkFile(service, file)
    assert.deepEqual([rows, faults], [1, 1])
    const [fault] = await imports.faultsOf(service.world.db, { import_id: id, after: 0, limit: 9 })
    assert.match(fault!.message, /^The row has 8 values, but the heading has 6\./)
  })

  test('names the line, the column and the value of a fault', async () => {
    const read = await checkFile(
      service,
      lemonFileOf(service, [{ days: 20 }, { email: '=SUM(A1)', days: 20 }]),
    )
    const [fault] = await imports.faultsOf(service.world.db, {
      import_id: read.id,
      after: 0,
      limit: 10,
    })
    assert.deepEqual(fault, {
      place: 1,
      line: 3,
      column_name: 'user_email',
      value: '=SUM(A1)',
      message: 'This is not an email address. Correct it.',
    })
  })
})

describe('an import', () => {
  test('creates licenses whose old keys validate, without a trace in the books', async () => {
    const money = () =>
      service.world.db.one(sql`select
      (select count(*) from ledger_entries) as entries, (select count(*) from invoices) as invoices,
      (select count(*) from orders) as orders, (select count(*) from emails) as emails`)
    const before_it = await money()
    const { counts, status } = await runFile(
      service,
      lemonFileOf(service, [{ days: 20, key: 'until-a-day' }, { key: 'For-Good' }, { days: 9 }]),
    )
    assert.deepEqual([counts, status], [{ create: 3 }, 'done'])
    const { license_id: _, ...timed } = (await stateOfKey(service, 'until-a-day'))!
    const end = isoDate(addDays(service.clock.now(), 20))
    assert.deepEqual(timed, { status: 'active', entitled: true, period_end: end })
    assert.equal((await stateOfKey(service, 'For-Good'))!.status, 'one_time_active')
    assert.deepEqual(await money(), before_it)
  })

  test('of the same file again changes nothing', async () => {
    const file = lemonFileOf(service, [
      { id: 901, email: 'same-1@example.com', days: 20, key: 'same-1' },
      { id: 902, email: 'same-1@example.com', key: 'same-2' },
      { id: 903, email: 'same-2@example.com', key: 'same-3' },
    ])
    await runFile(service, file)
    const after_first = await everything()
    const { counts } = await runFile(service, file)
    assert.deepEqual(counts, { unchanged: 2, duplicate: 1 })
    assert.equal(await everything(), after_first)
  })

  test('of a newer file changes only what changed', async () => {
    const rows = [
      { id: 911, email: 'newer-1@example.com', days: 20, key: 'newer-1' },
      { id: 912, email: 'newer-2@example.com', days: 20, key: 'newer-2' },
      { id: 913, email: 'newer-3@example.com', days: 20, key: 'newer-3' },
    ]
    await runFile(service, lemonFileOf(service, rows))
    const first = (await stateOfKey(service, 'newer-1'))!
    rows[0]!.days = 50
    const newer = [rows[0]!, rows[1]!, { ...rows[2]!, status: 'expired' }]
    const { counts } = await runFile(service, lemonFileOf(service, newer))
    assert.deepEqual(counts, { update: 1, unchanged: 1, end: 1 })
    const changed = (await stateOfKey(service, 'newer-1'))!
    assert.equal(changed.license_id, first.license_id)
    assert.equal(changed.period_end, isoDate(addDays(service.clock.now(), 50)))
    assert.deepEqual(
      [
        (await stateOfKey(service, 'newer-3'))!.status,
        (await stateOfKey(service, 'newer-3'))!.entitled,
      ],
      ['canceled', false],
    )
  })

  test('of a newer file continues a license that ends at the same time', async () => {
    const { db } = service.world
    const rows = [{ id: 921, email: 'ending@example.com', days: 20, key: 'ending' }]
    await runFile(service, lemonFileOf(service, rows))
    const { license_id } = (await stateOfKey(service, 'ending'))!
    rows[0]!.days = 50
    const { id } = await checkFile(service, lemonFileOf(service, rows))
    const begun = Promise.withResolvers<void>()
    const running = begun.promise.then(() => runChecked(service, id))
    await db.tx(async (tx) => {
      const end = { trigger: 'import_ended', to: 'canceled' } as const
      await licensing.transition(tx, service.clock.now(), { license_id, ...end })
      begun.resolve()
      await untilBlocked(tx, db)
    })
    const { counts, status } = await running
    assert.deepEqual([counts, status], [{ create: 1 }, 'done'])
    assert.equal((await stateOfKey(service, 'ending'))?.entitled, true)
  })

  test('leaves a buyer alone whose email an account with a license takes at the same time', async () => {
    const { db } = service.world
    const [former, email] = ['former@example.com', 'taken@example.com']
    await runFile(service, lemonFileOf(service, [{ email: former, days: 20, key: 'former' }]))
    const { id: user_id } = (await identity.findByEmail(db, former))!
    const { id } = await checkFile(service, lemonFileOf(service, [{ email, days: 20 }]))
    const begun = Promise.withResolvers<void>()
    const running = begun.promise.then(() => runChecked(service, id))
    await db.tx(async (tx) => {
      await identity.setEmail(tx, { user_id, ...identity.readEmail(email)! })
      begun.resolve()
      await untilBlocked(tx, db)
    })
    const { counts, status } = await running
    assert.deepEqual([counts, status], [{ owned: 1 }, 'done'])
  })

  test('continues after a crash in any batch, and creates each license once', async () => {
    const rows = Array.from({ length: 450 }, (_, n) => ({ days: 20, key: `crash-${n}` }))
    const { id } = await checkFile(service, lemonFileOf(service, rows))
    for (let crashes = 0; crashes < 2; crashes++) {
      const report = async () => {
        throw new Error('crash')
      }
      await assert.rejects(runChecked(service, id, { report }), /crash/)
    }
    const { db } = service.world
    const { done_place } = await imports.getImport(db, id)
    assert.equal(done_place, 2 * rowsAtOnce(db, 200))
    const { counts, status } = await runChecked(service, id)
    assert.deepEqual([counts, status], [{ create: 450 }, 'done'])
    assert.ok(await stateOfKey(service, 'crash-449'))
  })

  test('gives a buyer one license: the one for good, then the one that ends last', async () => {
    const email = 'many@example.com'
    const rows = [
      { email, days: 5, key: 'many-1' },
      { email, days: 40, key: 'many-2' },
      { email, key: 'many-3' },
    ]
    assert.deepEqual((await runFile(service, lemonFileOf(service, rows))).counts, {
      create: 1,
      add_key: 2,
    })
    const states = await Promise.all(
      ['many-1', 'many-2', 'many-3'].map((key) => stateOfKey(service, key)),
    )
    assert.equal(new Set(states.map((state) => state?.license_id)).size, 1)
    assert.equal(states[0]!.status, 'one_time_active')
  })

  test('sends emails only if the seller asks for it', async () => {
    // Not before: what the schedules do after a start would change the books beside other tests.
    await service.world.jobs.start()
    const { id } = await checkFile(
      service,
      lemonFileOf(service, [{ email: 'notified@example.com', days: 20, key: 'notified' }]),
    )
    await runChecked(service, id, { notifies: true })
    const message = await emailTo(
      service,
      'notified@example.com',
      /^Your Tidepool license has moved$/,
    )
    const own = /key_\w+/.exec(message)![0]
    assert.deepEqual(await stateOfKey(service, own), await stateOfKey(service, 'notified'))
    assert.match(message, /\/manage\//)
  })

  test('sends no email before staff enable external sales of the app', async () => {
    const email = 'not-yet@example.com'
    const { id } = await checkFile(
      service,
      lemonFileOf(service, [{ email, days: 20, key: 'not-yet' }]),
    )
    const { db } = service.world
    await db.run(sql`update apps set external_sales_enabled = false where slug = 'tidepool'`)
    await runChecked(service, id, { notifies: true })
    await db.run(sql`update apps set external_sales_enabled = true where slug = 'tidepool'`)
    assert.equal((await stateOfKey(service, 'not-yet'))?.entitled, true)
    const { emails } = await db.one<{ emails: number }>(sql`select count(*) as emails
      from emails e join licenses l on l.id = e.subject_id join users u on u.id = l.user_id
      where u.email = ${email}`)
    assert.equal(emails, 0)
  })

  test('keeps no row about an account that is deleted', async () => {
    const email = 'forgotten@example.com'
    const { id } = await checkFile(
      service,
      lemonFileOf(service, [{ email, days: 20, key: 'forgotten' }]),
    )
    await runChecked(service, id)
    const { db } = service.world
    // In a file whose columns were matched wrongly, the email is the value of a fault.
    await db.run(sql`insert into import_faults (import_id, place, line, value, message)
      values (${id}, 1, 2, ${email.toUpperCase()}, 'There is no such plan.')`)
    const { id: user_id } = (await identity.findByEmail(db, email))!
    await deleteAccount(service.world, await openOwner(service, { user_id, email }))
    assert.equal(await stateOfKey(service, 'forgotten'), undefined)
    const { rows } = await db.one<{ rows: number }>(sql`select count(*) as rows from import_rows
      where email_normalized = ${email}`)
    assert.equal(rows, 0)
    const { value } = await db.one<{ value: string }>(
      sql`select value from import_faults where import_id = ${id}`,
    )
    assert.equal(value, '')
    assert.equal(await licensing.hadCustomers(db, service.demo.app.client_id), true)
  })
})
