import type { FastifyInstance } from 'fastify'
import { z } from 'zod'
import * as sellers from '#domain/sellers'
import { archiveOf } from '#flows/export-seller'
import { forReports, type World } from '#flows/world'
import { saveFile, startExport } from '#http/exports'
import { csrfToken } from '#http/form-token'
import { requireMember } from '#http/guards/seller'
import { requireRecentProof } from '#http/guards/session'
import { SERVES_SUSPENDED } from '#http/guards/viewing'
import { formOf } from '#http/input'
import { sendPage } from '#http/pages'
import { declareTask, type ReportProgress, type TaskEnd } from '#http/tasks'
import { audit } from '#platform/audit'
import { isoDate } from '#platform/calendar'
import { idSchema } from '#platform/ids'
import type { Task } from '#platform/tasks'
import { actorOf } from './app-context.ts'
import { ExportAllPage } from './export-all-page.tsx'

const PATH = '/dashboard/export/'
const ExportRequest = z.object({ seller_id: idSchema('sel'), with_keys: z.boolean() })

/** The export of all of a seller's data, for its owner. */
export function declareExportAll(scope: FastifyInstance, world: World): void {
  declareTask(world, {
    kind: 'export_seller',
    title: 'Exporting everything',
    unit: 'files',
    remains: 'No file was created.',
    back: () => PATH,
    needs_proof: true,
    isAllowed: async ({ user_id, request }) => {
      const { seller_id } = ExportRequest.parse(request)
      return (await sellers.memberOf(world.db, { seller_id, user_id }))?.role === 'owner'
    },
    run: (task, report) => writeArchive(forReports(world), task, report),
  })

  scope.get(PATH, async (request, reply) => {
    const context = await requireMember(world, request, reply, 'export_all')
    requireRecentProof(world, context)
    const { role, legal_name, is_suspended } = context.member
    const csrf_token = csrfToken(world, request, reply)
    return sendPage(reply, ExportAllPage({ role, legal_name, is_suspended, csrf_token }))
  })

  scope.post(PATH, SERVES_SUSPENDED, async (request, reply) => {
    const context = await requireMember(world, request, reply, 'export_all')
    requireRecentProof(world, context, PATH)
    const { seller_id } = context.member
    const with_keys = formOf(request).with_keys !== undefined
    await audit(world.db, world.clock.now(), {
      actor: actorOf(context),
      action: 'seller.data_exported',
      subject: seller_id,
      detail: { with_keys },
    })
    const requested = { kind: 'export_seller', app_id: null } as const
    return await startExport(world, context, { ...requested, request: { seller_id, with_keys } })
  })
}

async function writeArchive(world: World, task: Task, report: ReportProgress): Promise<TaskEnd> {
  const scope = ExportRequest.parse(task.request)
  const name = `purser-export-${isoDate(world.clock.now())}.zip`
  return await saveFile(world, task, { name, type: 'application/zip' }, async (write) => {
    let total = 0
    const archive = archiveOf(world, scope, async (done, files, rows) => {
      total = rows
      await report({ done, total: files, note: `${rows} rows` })
    })
    for await (const part of archive) await write(part)
    return total
  })
}
