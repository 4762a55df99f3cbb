import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import * as apps from '#domain/apps'
import * as identity from '#domain/identity'
import * as imports from '#domain/imports'
import * as licensing from '#domain/licensing'
import { deleteAccount } from '#flows/account'
import { checkImport, choosePlans, readImport, uploadImport } from '#flows/imports'
import { endNow } from '#flows/subscription'
import { addDays, isoDate } from '#platform/calendar'
import type { ProductId } from '#platform/ids'
import { sql } from '#platform/sql'
import { rowsAtOnce } from '../../src/flows/imports/batch.ts'
import { openOwner } from '../support/account.ts'
import { FULL_ONLY } from '../support/budget.ts'
import { checkedImport, importer, paidProducts, runChecked } from '../support/imports.ts'
import { closeSound } from '../support/invariants.ts'
import { emailTo } from '../support/mailbox.ts'
import { basic, buyer, licenseKey, purchase } from '../support/purchase.ts'
import { openTestService, type TestService } from '../support/service.ts'

const HEADING = 'id,product_name,user_email,status,renews_at,key'

let service: TestService
let products: ProductId[]
before(async () => {
  service = await openTestService()
  await service.world.jobs.start()
  products = await paidProducts(service)
})
after(() => closeSound(service))

let count = 0
/**
 * A file of Lemon Squeezy; each row is a subscription until a number of days from now, or a key.
 */
function fileOf(
  rows: { id?: number; email?: string; days?: number; key?: string; status?: string }[],
) {
  const lines = rows.map(({ id, email, days, key = '', status }) => {
    const end = days === undefined ? '' : isoDate(addDays(service.clock.now(), days))
    const number = id ?? ++count
    const state = status ?? (days === undefined ? 'inactive' : 'active')
    return [number, 'Tides', email ?? `import-${number}@example.com`, state, end, key].join(',')
  })
  return [HEADING, ...lines].join('\n')
}

const check = (file: string) =>
  checkedImport(service, { source: 'lemon_squeezy', file, product_id: products[0]! })

const run = async (file: string) => await runChecked(service, (await check(file)).id)

async function stateOf(key: string) {
  const answer = await service.app.inject({
    method: 'POST',
    url: '/api/v1/licenses/validate',
    headers: { ...basic(service) },
    payload: { key },
  })
  const { status, entitled, period_end, license_id } = answer.json()
  return answer.statusCode === 200 ? { status, entitled, period_end, license_id } : undefined
}

/** Replaces the key of a license as the seller's server does; returns the new one. */
async function replaceKey(license_id: string): Promise<string> {
  const answer = await service.app.inject({
    method: 'POST',
    url: `/api/v1/licenses/${license_id}/regenerate-key`,
    headers: { ...basic(service) },
  })
  return answer.json().license_key
}

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
    const file = fileOf([
      { email: 'dry-1@example.com', days: 20, key: 'dry-key-1' },
      { email: 'dry-1@example.com', key: 'dry-key-2' },
      { email: 'dry-2@example.com', days: -3 },
      { email: 'no address', days: 20 },
    ])
    const { counts, rows, faults, status } = await check(file)
    assert.deepEqual(counts, { create: 1, add_key: 1, over: 1 })
    assert.deepEqual([rows, faults, status], [3, 1, 'checked'])
    assert.equal(await everything(), before_it)
  })

  test('counts the end of a license once, as the import does', async () => {
    const paid = { id: 951, email: 'dry-twice@example.com', key: 'dry-twice' }
    await run(fileOf([{ ...paid, days: 20 }]))
    const file = fileOf([
      { ...paid, days: -1, status: 'expired' },
      { ...paid, days: -31, status: 'expired' },
      { ...paid, days: -61, status: 'expired' },
    ])
    const { counts } = await check(file)
    assert.deepEqual(counts, { end: 1, over: 2 })
    assert.deepEqual((await run(file)).counts, counts)
  })

  test('counts a key once, and none of a buyer without a license', async () => {
    const ended = { id: 941, email: 'dry-ended@example.com', days: 20, key: 'dry-ended' }
    await run(fileOf([ended]))
    const { license_id } = (await stateOf('dry-ended'))!
    const reason = 'A test'
    await endNow(service.world, await importer(service), { license_id, reason })
    // Each payment of a subscription may be a row, with the same key.
    const paid = { email: 'dry-paid@example.com', key: 'dry-paid' }
    const file = fileOf([
      { ...paid, days: 40 },
      { ...paid, days: 10 },
      { ...paid, days: -20, status: 'expired' },
      { email: paid.email, days: 5, key: 'dry-second' },
      { email: paid.email, days: 4, key: 'dry-second' },
      ended,
      { email: ended.email, days: 10, key: 'dry-other' },
      { email: ended.email, days: -10, key: 'dry-former', status: 'expired' },
    ])
    const expected = { create: 1, duplicate: 2, over: 2, add_key: 1, ended_here: 2 }
    const { id, counts } = await check(file)
    assert.deepEqual(counts, expected)
    assert.deepEqual((await runChecked(service, id)).counts, expected)
    assert.equal(await stateOf('dry-other'), undefined)
  })

  test('keeps the rows of a file that is read or checked again, as a form sent twice asks', async () => {
    const { world } = service
    const { id, counts } = await check(fileOf([{ days: 30 }, { days: 60 }]))
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
    const { id, plans, counts } = await check(fileOf([{ days: 30 }, { days: 60 }]))
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
      product_id: products[0]!,
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
      const file = [HEADING, ...Array.from({ length: 200_100 }, () => ',,,,,,')].join('\n')
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
    const [heading, ...lines] = fileOf([{ days: 20 }, { days: 20 }]).split('\n')
    const file = [heading, `${lines[0]},, `, `${lines[1]},,note`].join('\n')
    const { id, rows, faults } = await check(file)
    assert.deepEqual([rows, faults], [1, 1])
    const [fault] = await imports.faultsOf(service.world.db, { import_id: id, after: 0, limit: 9 })
    assert.match(fault!.message, /^The row has 8 values, but the heading has 6\./)
  })

  test('names the line, the column and the value of a fault', async () => {
    const read = await check(fileOf([{ days: 20 }, { email: '=SUM(A1)', days: 20 }]))
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
    const { counts, status } = await run(
      fileOf([{ days: 20, key: 'until-a-day' }, { key: 'For-Good' }, { days: 9 }]),
    )
    assert.deepEqual([counts, status], [{ create: 3 }, 'done'])
    const { license_id: _, ...timed } = (await stateOf('until-a-day'))!
    const end = isoDate(addDays(service.clock.now(), 20))
    assert.deepEqual(timed, { status: 'active', entitled: true, period_end: end })
    assert.equal((await stateOf('For-Good'))!.status, 'one_time_active')
    assert.deepEqual(await money(), before_it)
  })

  test('of the same file again changes nothing', async () => {
    const file = fileOf([
      { id: 901, email: 'same-1@example.com', days: 20, key: 'same-1' },
      { id: 902, email: 'same-1@example.com', key: 'same-2' },
      { id: 903, email: 'same-2@example.com', key: 'same-3' },
    ])
    await run(file)
    const after_first = await everything()
    const { counts } = await run(file)
    assert.deepEqual(counts, { unchanged: 2, duplicate: 1 })
    assert.equal(await everything(), after_first)
  })

  test('of a newer file changes only what changed', async () => {
    const rows = [
      { id: 911, email: 'newer-1@example.com', days: 20, key: 'newer-1' },
      { id: 912, email: 'newer-2@example.com', days: 20, key: 'newer-2' },
      { id: 913, email: 'newer-3@example.com', days: 20, key: 'newer-3' },
    ]
    await run(fileOf(rows))
    const first = (await stateOf('newer-1'))!
    rows[0]!.days = 50
    const newer = [rows[0]!, rows[1]!, { ...rows[2]!, status: 'expired' }]
    const { counts } = await run(fileOf(newer))
    assert.deepEqual(counts, { update: 1, unchanged: 1, end: 1 })
    const changed = (await stateOf('newer-1'))!
    assert.equal(changed.license_id, first.license_id)
    assert.equal(changed.period_end, isoDate(addDays(service.clock.now(), 50)))
    assert.deepEqual(
      [(await stateOf('newer-3'))!.status, (await stateOf('newer-3'))!.entitled],
      ['canceled', false],
    )
  })

  test('continues after a crash in any batch, and creates each license once', async () => {
    const rows = Array.from({ length: 450 }, (_, n) => ({ days: 20, key: `crash-${n}` }))
    const { id } = await check(fileOf(rows))
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
    assert.ok(await stateOf('crash-449'))
  })

  test('gives a buyer one license: the one for good, then the one that ends last', async () => {
    const email = 'many@example.com'
    const rows = [
      { email, days: 5, key: 'many-1' },
      { email, days: 40, key: 'many-2' },
      { email, key: 'many-3' },
    ]
    assert.deepEqual((await run(fileOf(rows))).counts, { create: 1, add_key: 2 })
    const states = await Promise.all(['many-1', 'many-2', 'many-3'].map(stateOf))
    assert.equal(new Set(states.map((state) => state?.license_id)).size, 1)
    assert.equal(states[0]!.status, 'one_time_active')
  })

  test('leaves a license that was bought here, and adds the old key to it', async () => {
    const email = 'bought-here@example.com'
    const page = await purchase(service, buyer(service), { email })
    const bought = await stateOf(licenseKey(page))
    const { counts } = await run(fileOf([{ email, days: 300, key: 'bought-elsewhere' }]))
    assert.deepEqual(counts, { add_key: 1 })
    assert.deepEqual(await stateOf('bought-elsewhere'), bought)
  })

  test('does not return what its seller ended', async () => {
    const file = fileOf([{ id: 931, email: 'ended-here@example.com', days: 20, key: 'ended-here' }])
    await run(file)
    const { license_id } = (await stateOf('ended-here'))!
    const actor = await importer(service)
    assert.equal(await endNow(service.world, actor, { license_id, reason: 'A test' }), true)
    assert.deepEqual((await run(file)).counts, { ended_here: 1 })
    assert.equal((await stateOf('ended-here'))!.status, 'canceled')
  })

  test('does not return a key that was replaced since, however often it is imported', async () => {
    const email = 'leaked@example.com'
    const rows = [
      { id: 981, email, days: 20, key: 'leaked-1' },
      { id: 982, email, days: 5, key: 'leaked-2' },
    ]
    await run(fileOf(rows))
    const { license_id } = (await stateOf('leaked-1'))!
    const first = await replaceKey(license_id)
    assert.deepEqual((await run(fileOf(rows))).counts, { unchanged: 1, duplicate: 1 })
    // An archive with the keys of this service, from before another replacement.
    await replaceKey(license_id)
    const archive = [{ email, days: 20, key: first }]
    assert.deepEqual((await run(fileOf(archive))).counts, { owned: 1 })
    const actor = await importer(service)
    await endNow(service.world, actor, { license_id, reason: 'A test' })
    rows[0]!.days = 50
    assert.deepEqual((await run(fileOf(rows))).counts, { create: 1, duplicate: 1 })
    for (const key of ['leaked-1', 'leaked-2', first]) assert.equal(await stateOf(key), undefined)
  })

  test('takes a key back that the other service has revoked since, until it is active again', async () => {
    const email = 'revoked-there@example.com'
    const subscription = { id: 991, email, days: 20 }
    const revoked = { id: 992, email, key: 'revoked-there' }
    await run(fileOf([subscription]))
    await run(fileOf([revoked]))
    const state = await stateOf('revoked-there')
    assert.equal(state!.status, 'active')
    const newer = fileOf([{ ...revoked, status: 'disabled' }])
    for (const _ of ['once', 'twice']) {
      assert.deepEqual((await run(newer)).counts, { over: 1 })
      assert.equal(await stateOf('revoked-there'), undefined)
    }
    assert.deepEqual((await run(fileOf([revoked]))).counts, { add_key: 1 })
    assert.deepEqual(await stateOf('revoked-there'), state)
    // Another row of the same file says that it is active.
    const both = [
      { ...revoked, status: 'disabled' },
      { ...revoked, id: 993 },
    ]
    assert.deepEqual((await run(fileOf(both))).counts, { over: 1, owned: 1 })
    assert.deepEqual(await stateOf('revoked-there'), state)
  })

  test('takes no key back for a failed payment of its buyer, which repeats it', async () => {
    const end = isoDate(addDays(service.clock.now(), 20))
    const heading = 'id,Customer Email,Product,Status,Current Period End,license_key (metadata)'
    const rowOf = (id: string, status: string, until: string) =>
      [heading, `${id},repeated@example.com,Tides,${status},${until},repeated`].join('\n')
    for (const file of [rowOf('sub_repeated', 'active', end), rowOf('pi_repeated', 'Failed', '')]) {
      const facts = { source: 'stripe', file, product_id: products[0]! } as const
      await runChecked(service, (await checkedImport(service, facts)).id)
    }
    assert.equal((await stateOf('repeated'))!.status, 'active')
  })

  test('sends emails only if the seller asks for it', async () => {
    const { id } = await check(
      fileOf([{ email: 'notified@example.com', days: 20, key: 'notified' }]),
    )
    await runChecked(service, id, { notifies: true })
    const message = await emailTo(
      service,
      'notified@example.com',
      /^Your Tidepool license has moved$/,
    )
    const own = /key_\w+/.exec(message)![0]
    assert.deepEqual(await stateOf(own), await stateOf('notified'))
    assert.match(message, /\/manage\//)
  })

  test('sends no email before staff enable external sales of the app', async () => {
    const email = 'not-yet@example.com'
    const { id } = await check(fileOf([{ email, days: 20, key: 'not-yet' }]))
    const { db } = service.world
    await db.run(sql`update apps set external_sales_enabled = false where slug = 'tidepool'`)
    await runChecked(service, id, { notifies: true })
    await db.run(sql`update apps set external_sales_enabled = true where slug = 'tidepool'`)
    assert.equal((await stateOf('not-yet'))?.entitled, true)
    const { emails } = await db.one<{ emails: number }>(sql`select count(*) as emails
      from emails e join licenses l on l.id = e.subject_id join users u on u.id = l.user_id
      where u.email = ${email}`)
    assert.equal(emails, 0)
  })

  test('keeps no row about an account that is deleted', async () => {
    const email = 'forgotten@example.com'
    const { id } = await check(fileOf([{ email, days: 20, key: 'forgotten' }]))
    await runChecked(service, id)
    const { db } = service.world
    // In a file whose columns were matched wrongly, the email is the value of a fault.
    await db.run(sql`insert into import_faults (import_id, place, line, value, message)
      values (${id}, 1, 2, ${email.toUpperCase()}, 'There is no such plan.')`)
    const { id: user_id } = (await identity.findByEmail(db, email))!
    await deleteAccount(service.world, await openOwner(service, { user_id, email }))
    assert.equal(await stateOf('forgotten'), undefined)
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
