import * as apps from '#domain/apps'
import * as identity from '#domain/identity'
import * as imports from '#domain/imports'
import * as licensing from '#domain/licensing'
import * as payments from '#domain/payments'
import { appTime, type World } from '#flows/world'
import { type ActorOf, audit } from '#platform/audit'
import type { Db } from '#platform/db'
import { queueFreshEmail } from '#platform/email-queue'
import { type ImportId, type LicenseId, mintId } from '#platform/ids'
import { refreshStatistics } from '#platform/statistics'
import { rowsAtOnce } from './batch.ts'
import type { ReportImport } from './read.ts'
import { type DecidedRow, decideNext } from './rows.ts'

const WRITTEN_AT_ONCE = 200
/** After so many times the rows, the planner learns again how large these tables are. */
const GROWTH = 5
const GROWING = ['users', 'licenses', 'license_key_aliases', 'imported_records', 'import_rows']

/**
 * Locks an import of the app's current seller. Undefined if the app was transferred since the file
 * was uploaded: a transfer waits for this transaction, and this one for a transfer.
 */
export async function lockOwnImport(tx: Db, id: ImportId): Promise<imports.Import | undefined> {
  const { app_id } = await imports.getImport(tx, id)
  await apps.lockForEditing(tx, app_id)
  await imports.lockImport(tx, id)
  return await imports.findImport(tx, { id, app_id })
}

/**
 * Starts a checked import. It emails the license holders only if staff enabled external sales of
 * the app: before, what the emails name was not reviewed. False if it was already started, its rows
 * are deleted, or the app was transferred.
 */
export async function startImport(
  { db, clock }: World,
  actor: ActorOf<'seller'>,
  { id, notifies: is_wanted }: { id: ImportId; notifies: boolean },
): Promise<boolean> {
  return await db.tx(async (tx) => {
    const read = await lockOwnImport(tx, id)
    if (read?.status !== 'checked' || imports.isExpired(clock.now(), read)) return false
    const { app_id, source, rows, file_name } = read
    const notifies = is_wanted && (await apps.get(tx, app_id)).external_sales_enabled
    await imports.changeImport(tx, id, { status: 'importing', notifies })
    const detail = { app_id, source, rows, file_name, notifies }
    await audit(tx, clock.now(), { actor, action: 'app.import_started', subject: id, detail })
    return true
  })
}

/**
 * Imports the rows of a file, each batch in a transaction of its own. After a crash it continues
 * with the batch that was not committed. It stops if the app is transferred. Nothing is charged,
 * and the books do not change.
 */
export async function runImport(
  world: World,
  actor: ActorOf<'seller'>,
  id: ImportId,
  report: ReportImport,
): Promise<imports.Import> {
  const { db } = world
  let known = 0
  for (;;) {
    const batch = await db.tx((tx) => importBatch(world, tx, id))
    if (!batch) break
    const { done_place: done, rows: total } = batch
    if (done >= known * GROWTH) {
      known = done
      await refreshStatistics(db, GROWING)
    }
    await report({ done, total, note: `${done} of ${total} rows` })
  }
  await finish(world, actor, id)
  return await imports.getImport(db, id)
}

async function finish({ db, clock }: World, actor: ActorOf<'seller'>, id: ImportId): Promise<void> {
  await db.tx(async (tx) => {
    const now = clock.now()
    const read = await lockOwnImport(tx, id)
    if (read?.status !== 'importing') return
    const { app_id } = read
    const counts = await imports.countOutcomes(tx, id)
    await imports.changeImport(tx, id, { status: 'done', counts, finished_at: now })
    const detail = { app_id, counts }
    await audit(tx, now, { actor, action: 'app.import_finished', subject: id, detail })
  })
}

/**
 * Imports the next rows, and returns how far the import is; undefined if none are left. The locked
 * import is what a second run of it waits for.
 */
async function importBatch(
  world: World,
  tx: Db,
  id: ImportId,
): Promise<imports.Import | undefined> {
  const read = await lockOwnImport(tx, id)
  if (read?.status !== 'importing') return undefined
  const page = { after: read.done_place, limit: rowsAtOnce(world.db, WRITTEN_AT_ONCE) }
  const { app_id } = read
  const first = await decideNext(tx, read, page)
  for (const email_normalized of buyersOf(first)) {
    await payments.lockBuyer(tx, { app_id, email_normalized })
  }
  await licensing.lockLicenses(tx, licensesOf(first))
  // Again, now that none of these buyers can begin a purchase, and none of these licenses ends.
  const rows = await decideNext(tx, read, page)
  if (rows.length === 0) return undefined
  const now = appTime(world, await apps.get(tx, app_id))
  const done: { line: number; outcome: imports.RowOutcome }[] = []
  for (const row of rows) {
    done.push({ line: row.line, outcome: await importRow(world, tx, now, { read, row }) })
  }
  await imports.setOutcomes(tx, id, done)
  const done_place = rows.at(-1)!.place
  await imports.changeImport(tx, id, { done_place })
  return { ...read, done_place }
}

/** In one order, so that two imports never wait for each other. */
function buyersOf(rows: readonly DecidedRow[]): string[] {
  return [...new Set(rows.map(({ email_normalized }) => email_normalized))].sort()
}

/** The licenses that rows change or end. */
function licensesOf(rows: readonly DecidedRow[]): LicenseId[] {
  return rows.flatMap(({ outcome, live_id, ends_id }) => {
    const id = imports.UPDATING.includes(outcome) ? live_id : outcome === 'end' ? ends_id : null
    return id === null ? [] : [id]
  })
}

interface RowWork {
  read: imports.Import
  row: DecidedRow
}

async function importRow(
  world: World,
  tx: Db,
  now: Date,
  work: RowWork,
): Promise<imports.RowOutcome> {
  const { row } = work
  const { outcome, live_id } = row
  switch (outcome) {
    case 'create':
    case 'create_key_taken':
    case 'create_key_replaced':
      return (await addLicense(world, tx, now, work)) ? outcome : 'owned'
    case 'update':
    case 'update_key_taken':
    case 'update_key_replaced': {
      const { product_id, ends_at } = row
      const { notifies: reminds } = work.read
      const change = { license_id: live_id!, product_id: product_id!, ends_at, reminds }
      await licensing.changeImported(tx, now, change)
      await keep(tx, now, work, live_id!)
      return outcome
    }
    case 'end':
      return (await endLive(tx, now, row.ends_id!)) ? outcome : 'over'
    case 'add_key':
    case 'add_key_ends_earlier':
      if (live_id === null) return row.over ? 'over' : 'duplicate'
      if (row.is_decisive) await keep(tx, now, work, live_id)
      else await addAlias(tx, now, work, live_id)
      return outcome
    case 'key_taken':
    case 'key_replaced':
    case 'unchanged':
      if (row.is_decisive) await keep(tx, now, work, live_id!)
      return outcome
    default:
      if (outcome === 'over') await takeKeyBack(tx, work)
      return outcome
  }
}

/** A key that was revoked at the other service, or whose purchase was refunded, opens nothing. */
async function takeKeyBack(tx: Db, { read, row }: RowWork): Promise<void> {
  const { key_hash, email_normalized, live_id: license_id } = row
  if (!key_hash || !license_id || !imports.revokesKey(row)) return
  const { id: import_id } = read
  if (await imports.isKeyActive(tx, { import_id, email_normalized, key_hash })) return
  await licensing.deleteAlias(tx, { app_id: read.app_id, key_hash, license_id })
}

/** Adds the license of a row; false if an account with one has got the buyer's email since. */
async function addLicense(world: World, tx: Db, now: Date, work: RowWork): Promise<boolean> {
  const { keys, random } = world
  const { read, row } = work
  const { app_id } = read
  const { email, email_normalized } = row
  const { user_id, made } = await identity.findOrAddUser(tx, world.clock.now(), {
    id: mintId(random, 'usr'),
    email,
    email_normalized,
    created_via: 'import',
  })
  if (!made && (await licensing.findLive(tx, { app_id, email_normalized }))) return false
  const license_id = mintId(random, 'lic')
  const { product_id, ends_at } = row
  const reminds = read.notifies
  const license = { license_id, app_id, user_id, product_id: product_id!, ends_at, reminds }
  await licensing.grantImported(tx, now, { keys, random }, license)
  await keep(tx, now, work, license_id)
  const { source } = read
  const ended = await imports.endedKeys(tx, { app_id, source, email_normalized })
  const aliases = ended.map((key_hash) => ({ app_id, key_hash, license_id }))
  if (aliases.length > 0) await licensing.addAliases(tx, now, aliases)
  if (!read.notifies) return true
  await queueFreshEmail(tx, now, world, { kind: 'license_imported', subject_id: license_id })
  return true
}

/** Records which license the row is, and adds its key. */
async function keep(tx: Db, now: Date, work: RowWork, license_id: LicenseId): Promise<void> {
  const { app_id, source } = work.read
  const { external_id } = work.row
  await imports.saveRecord(tx, { app_id, source, external_id, license_id })
  await addAlias(tx, now, work, license_id)
}

async function addAlias(tx: Db, now: Date, work: RowWork, license_id: LicenseId): Promise<void> {
  const { key_hash } = work.row
  const { app_id } = work.read
  if (key_hash) await licensing.addAliases(tx, now, [{ app_id, key_hash, license_id }])
}

/** Ends an imported license that has ended there; false if an earlier row of the file ended it. */
async function endLive(tx: Db, now: Date, license_id: LicenseId): Promise<boolean> {
  const { status } = await licensing.lockLicense(tx, license_id)
  if (status === 'canceled') return false
  await licensing.transition(tx, now, { license_id, trigger: 'source_ended', to: 'canceled' })
  return true
}
