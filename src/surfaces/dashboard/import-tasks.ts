import { z } from 'zod'
import * as apps from '#domain/apps'
import * as imports from '#domain/imports'
import { checkImport, deleteImport, readImport, runImport } from '#flows/imports'
import type { World } from '#flows/world'
import { declareTask, startTaskNow, type TaskKind } from '#http/tasks'
import type { ActorOf } from '#platform/audit'
import type { Clock } from '#platform/clock'
import type { Db } from '#platform/db'
import { type AppId, type ImportId, idSchema } from '#platform/ids'
import { isUnderWay, type Task, tasksOf } from '#platform/tasks'
import { type ImportContext, importsAddress } from './import-context.ts'

const ImportRequest = z.object({ slug: z.string(), import_id: idSchema('imp') })

export type ImportTask = 'import_read' | 'import_check' | 'import_run' | 'import_delete'
const KINDS: ImportTask[] = ['import_read', 'import_check', 'import_run', 'import_delete']

const back = ({ request }: Task) => {
  const { slug, import_id } = ImportRequest.parse(request)
  return `${importsAddress(slug)}${import_id}/`
}

/** Where a deletion leads: the import is no longer there. */
const backToImports = ({ request }: Task) => importsAddress(ImportRequest.parse(request).slug)

/** Declares what takes time: reading, the dry run, the import, and its deletion. */
export function declareImportTasks(world: World): void {
  const declare = (kind: Pick<TaskKind, 'title' | 'unit' | 'remains'> & { kind: ImportTask }) =>
    declareTask(world, {
      ...kind,
      shared: { view: 'move_data', stop: 'move_data' },
      back,
      async run(task, report) {
        const { import_id } = ImportRequest.parse(task.request)
        if (kind.kind === 'import_read') await readImport(world, import_id, report)
        else if (kind.kind === 'import_check') await checkImport(world, import_id, report)
        else await runImport(world, await actorOfTask(world, task), import_id, report)
        return { next_url: back(task) }
      },
    })
  declare({
    kind: 'import_read',
    title: 'Reading the file',
    unit: 'KB',
    remains: 'Nothing was imported.',
  })
  declare({
    kind: 'import_check',
    title: 'Dry run',
    unit: 'rows',
    remains: 'Nothing was imported.',
  })
  const remains = 'What was imported is kept, and the import can be resumed.'
  declare({ kind: 'import_run', title: 'Importing', unit: 'rows', remains })
  declareTask(world, {
    kind: 'import_delete',
    title: 'Deleting the import',
    unit: 'rows',
    remains: 'The import is deleted; its remaining rows follow within two days.',
    shared: { view: 'move_data', stop: 'move_data' },
    back: backToImports,
    async run(task, report) {
      const { import_id } = ImportRequest.parse(task.request)
      const actor = await actorOfTask(world, task)
      const isDeleted = await deleteImport(world, actor, import_id, report)
      return { next_url: isDeleted ? `${backToImports(task)}?done=deleted` : back(task) }
    },
  })
}

async function actorOfTask({ db }: World, task: Task): Promise<ActorOf<'seller'>> {
  const app = await apps.get(db, task.app_id!)
  const { user_id, id: request_id } = task
  return { kind: 'seller', user_id, request_id, seller_id: app.seller_id }
}

/**
 * Starts a step, and returns the path of its progress; of the step that runs, if there is one. A
 * file that was read twice at once could lose rows.
 */
export async function startImportTask(
  world: World,
  { app, session, read }: ImportContext,
  kind: ImportTask,
): Promise<string> {
  const request = { slug: app.slug, import_id: read.id }
  const task = { kind, user_id: session.user_id, app_id: app.id, request }
  return await startTaskNow(world, task, async (tx) => {
    const { status } = await imports.lockImport(tx, read.id)
    const own = await stepsOf(tx, { app_id: app.id, id: read.id })
    // The file may have been read since the form was opened.
    const isRead = kind === 'import_read' && status !== 'uploaded'
    const now = world.clock.now()
    return own.find((each) => isUnderWay(now, each)) ?? (isRead ? own.at(0) : undefined)
  })
}

/** The step of an import that runs now; undefined if none does. */
export async function runningTask(
  { db, clock }: { db: Db; clock: Clock },
  of: OwnImport,
): Promise<Task | undefined> {
  return (await stepsOf(db, of)).find((each) => isUnderWay(clock.now(), each))
}

interface OwnImport {
  app_id: AppId
  id: ImportId
}

/** The steps of an import that were started lately, latest first. */
async function stepsOf(db: Db, { app_id, id }: OwnImport): Promise<Task[]> {
  const latest = await tasksOf(db, { app_id, kinds: KINDS, limit: 20 })
  return latest.filter(({ request }) => request.import_id === id)
}
