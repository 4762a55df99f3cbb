import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import * as apps from '#domain/apps'
import * as imports from '#domain/imports'
import { deleteImport, readImport, uploadImport } from '#flows/imports'
import { applyRetention } from '#flows/retention'
import type { World } from '#flows/world'
import { addDays } from '#platform/calendar'
import type { ImportId } from '#platform/ids'
import { sql } from '#platform/sql'
import { checkedImport, importer, paidProducts, runChecked } from '../support/imports.ts'
import { assertInvariantsAndClose } from '../support/invariants.ts'
import { openTestService, type TestService } from '../support/service.ts'

const HEADING = 'id,product_name,user_email,status,key'

let service: TestService
before(async () => {
  service = await openTestService()
})
after(() => assertInvariantsAndClose(service))

async function upload(
  world: World,
  rows: string[],
  source: imports.ImportSource = 'lemon_squeezy',
) {
  const { id: app_id, seller_id } = await apps.get(world.db, service.demo.app.client_id)
  const { user_id } = await importer(service)
  const content = Buffer.from([HEADING, ...rows].join('\n'))
  const file = { file_name: 'file.csv', source, content }
  const uploaded = await uploadImport(world, { app_id, seller_id, user_id, ...file })
  if ('faults' in uploaded) throw new Error(uploaded.faults[0]!.message)
  return uploaded.id
}

/** The files of imports that are stored now, after the retention of a week. */
async function storedAfterWeek(): Promise<number> {
  const { db } = service.world
  const old = addDays(service.clock.now(), -8)
  await db.run(sql`update imports set created_at = ${old}`)
  await applyRetention(service.world)
  const { count } = await db.one<{ count: number }>(
    sql`select count(*) as count from stored_files where key like 'imports/%'`,
  )
  return count
}

const big = Array.from(
  { length: 60_000 },
  (_, at) => `b${at},Pro,big-${at}@example.com,active,BIG-KEY-${at}`,
)

/** A storage that stores the first part of a file, and then fails. */
function failingStorage(storage: World['storage']): World['storage'] {
  let parts = 0
  const put: World['storage']['put'] = async (...args) => {
    if (++parts > 1) throw new Error('the storage does not respond')
    await storage.put(...args)
  }
  return { ...storage, put }
}

const remove = async () => {
  throw new Error('the storage does not respond')
}

test('an upload that fails leaves no import and no file', async () => {
  const { world } = service
  await assert.rejects(upload({ ...world, storage: failingStorage(world.storage) }, big))
  const left = sql`select id from imports union all
    select key from stored_files where key like 'imports/%'`
  assert.deepEqual(await world.db.rows(left), [])
})

describe('retention deletes the file of an import', () => {
  test('whose upload ended in the middle', async () => {
    const { world } = service
    const storage = { ...failingStorage(world.storage), remove }
    await assert.rejects(upload({ ...world, storage }, big))
    assert.equal(await storedAfterWeek(), 0)
  })

  test('that was read, if the storage failed when it was to be deleted', async () => {
    const { world } = service
    const id = await upload(world, ['1,Pro,kept@example.com,active,KEPT-1'])
    const failing = { ...world, storage: { ...world.storage, remove } }
    await assert.rejects(readImport(failing, id, async () => {}))
    assert.equal(await storedAfterWeek(), 0)
    const { status, rows } = await imports.getImport(world.db, id)
    assert.deepEqual([status, rows], ['read', 1])
  })
})

test('a file of every service can be uploaded', async () => {
  for (const source of imports.IMPORT_SOURCES) {
    const id = await upload(service.world, [], source)
    assert.equal((await imports.getImport(service.world.db, id)).source, source)
  }
})

// Threat 47
test('a row with far too many values ends the reading of its file', async () => {
  const { world } = service
  const many = ','.repeat(300)
  const id = await upload(world, ['1,Pro,first@example.com,active,FIRST-1', many, many, many])
  assert.deepEqual(await readImport(world, id, async () => {}), { rows: 1, faults: 1 })
  const [fault] = await imports.faultsOf(world.db, { import_id: id, limit: 10 })
  assert.equal(
    fault?.message,
    'This row has 301 values; use at most 300. The rows after it were not read.',
  )
})

test('the names of columns are kept until the file is read, plans as long as the rows', async () => {
  const { world, clock } = service
  const facts = { source: 'lemon_squeezy', product_id: (await paidProducts(service))[0]! } as const
  const file = `${HEADING}\nk1,Pro,kept@example.com,active,KEPT-1`
  const { id } = await checkedImport(service, { ...facts, file })
  const { columns, plans } = await imports.getImport(world.db, id)
  assert.deepEqual([columns, Object.keys(plans)], [[], ['Pro']])
  const { counts } = await runChecked(service, id)
  await world.db.run(sql`update imports set created_at = ${addDays(clock.now(), -31)}
    where id = ${id}`)
  await applyRetention(world)
  const left = await imports.getImport(world.db, id)
  assert.deepEqual([left.plans, left.counts, left.status], [{}, counts, 'done'])
})

describe('what the imports of a seller store is limited', () => {
  const MEGABYTE = 1024 * 1024
  const file = ['l1,Pro,limited@example.com,active,LIMITED-1']

  /** Sets what the imports of the seller so far store. */
  async function storeAll(facts: { file_bytes: number; rows: number; has_file: boolean }) {
    const { file_bytes, rows, has_file } = facts
    const { db } = service.world
    await db.run(sql`delete from imports`)
    await upload(service.world, file)
    await db.run(sql`update imports set file_bytes = ${file_bytes}, rows = ${rows},
      has_file = ${has_file}`)
  }
  after(() => service.world.db.run(sql`delete from imports`))

  test('in bytes of files that were not read yet', async () => {
    await storeAll({ file_bytes: 250 * MEGABYTE, rows: 1, has_file: true })
    await assert.rejects(upload(service.world, file), {
      message:
        'Your files that were not read yet take 250 MB of at most 250 MB. Delete imports that you have not run, or read their files first.',
    })
    await storeAll({ file_bytes: 250 * MEGABYTE, rows: 1, has_file: false })
    await upload(service.world, file)
  })

  test('in rows', async () => {
    await storeAll({ file_bytes: 1, rows: 2_000_000, has_file: false })
    await assert.rejects(upload(service.world, file), {
      message:
        'Your imports of the last 30 days have 2,000,000 rows of at most 2,000,000. Delete imports that you have not run, or wait: rows are deleted 30 days after their upload.',
    })
    await storeAll({ file_bytes: 1, rows: 1_995_000, has_file: false })
    await service.world.db.run(sql`update imports set faults = 5000`)
    await assert.rejects(upload(service.world, file), /have 2,000,000 rows/)
    await storeAll({ file_bytes: 1, rows: 1_999_999, has_file: false })
    const id = await upload(service.world, file)
    assert.equal((await imports.getImport(service.world.db, id)).rows, 1)
  })
})

describe('an import that is deleted', () => {
  const rows = ['d1,Pro,deleted@example.com,active,DELETED-1', 'd2,Pro,no address,active,D-2']
  const stored = async (id: ImportId) => {
    const found = await service.world.db.rows<{ what: string }>(sql`
      select 'row' as what from import_rows where import_id = ${id} union all
      select 'fault' from import_faults where import_id = ${id} union all
      select 'part' from stored_files where key like ${`imports/${id}/%`}`)
    return found.map(({ what }) => what)
  }

  test('leaves no file, no row and no error', async () => {
    const { world } = service
    const [unread, read] = [await upload(world, rows), await upload(world, rows)]
    await readImport(world, read, async () => {})
    assert.deepEqual([await stored(unread), await stored(read)], [['part'], ['row', 'fault']])
    for (const id of [unread, read]) {
      assert.equal(await deleteImport(world, await importer(service), id, async () => {}), true)
      assert.deepEqual(await stored(id), [])
      assert.equal(
        await imports.findImport(world.db, { id, app_id: service.demo.app.client_id }),
        undefined,
      )
    }
    const { actions } = await world.db.one<{ actions: number }>(sql`select count(*) as actions
      from audit_log where action = 'app.import_deleted' and subject in (${unread}, ${read})`)
    assert.equal(actions, 2)
  })

  test('is finished by retention after a crash', async () => {
    const { world } = service
    const id = await upload(world, rows)
    const failing = { ...world, storage: { ...world.storage, remove } }
    await assert.rejects(deleteImport(failing, await importer(service), id, async () => {}))
    assert.deepEqual(await stored(id), ['part'])
    const old = addDays(service.clock.now(), -2)
    await world.db.run(sql`update imports set deleted_at = ${old} where id = ${id}`)
    await applyRetention(world)
    assert.deepEqual(await stored(id), [])
    assert.equal(await world.db.maybe(sql`select id from imports where id = ${id}`), undefined)
  })

  test('was not started before', async () => {
    const { world } = service
    const id = await upload(world, rows)
    await world.db.run(sql`update imports set status = 'importing' where id = ${id}`)
    assert.equal(await deleteImport(world, await importer(service), id, async () => {}), false)
    assert.deepEqual(await stored(id), ['part'])
  })

  test('keeps no file that was still being uploaded', async () => {
    const { world } = service
    const put: World['storage']['put'] = async (...args) => {
      await world.storage.put(...args)
      const id = args[1].split('/')[1] as ImportId
      await deleteImport(world, await importer(service), id, async () => {})
      await world.storage.put(...args)
    }
    const id = await upload({ ...world, storage: { ...world.storage, put } }, rows)
    assert.deepEqual(await stored(id), [])
  })
})
