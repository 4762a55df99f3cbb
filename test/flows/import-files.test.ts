import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import * as apps from '#domain/apps'
import * as imports from '#domain/imports'
import { readImport, uploadImport } from '#flows/imports'
import { keepRetention } from '#flows/retention'
import type { World } from '#flows/world'
import { addDays } from '#platform/calendar'
import { sql } from '#platform/sql'
import { importer } from '../support/imports.ts'
import { closeSound } from '../support/invariants.ts'
import { openTestService, type TestService } from '../support/service.ts'

const HEADING = 'id,product_name,user_email,status,key'

let service: TestService
before(async () => {
  service = await openTestService()
})
after(() => closeSound(service))

async function upload(
  world: World,
  rows: string[],
  source: imports.ImportSource = 'lemon_squeezy',
) {
  const { id: app_id, seller_id } = (await apps.find(world.db, service.demo.app.client_id))!
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
  await keepRetention(service.world)
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
