import type { FastifyInstance, FastifyReply } from 'fastify'
import * as apps from '#domain/apps'
import * as catalog from '#domain/catalog'
import * as imports from '#domain/imports'
import { choosePlans, LARGEST_IMPORT, matchImport, startImport, uploadImport } from '#flows/imports'
import type { World } from '#flows/world'
import type { FormFault } from '#http/form-errors'
import { csrfToken } from '#http/form-token'
import type { SellerTermsContext } from '#http/guards/seller'
import { formOf, uploadOf } from '#http/input'
import { limitPage, redirectTo, sendPage } from '#http/pages'
import { pagingOf } from '#http/pagination'
import { taskAddress } from '#http/tasks'
import { readUploads, UPLOADS } from '#http/uploads'
import { actorOf, appFactsOf } from './app-context.ts'
import {
  IMPORT,
  IMPORT_LIMIT,
  IMPORT_STEPS,
  type ImportContext,
  importsAddress,
  requireImport,
  requireImporter,
} from './import-context.ts'
import { sendFaults, sendReport } from './import-files.ts'
import { FIELD_LABELS } from './import-labels.ts'
import { DeleteImportPage, ImportPage } from './import-page.tsx'
import { chosenPlans } from './import-plans.ts'
import { declareImportTasks, runningTask, startImportTask } from './import-tasks.ts'
import { ImportsPage } from './imports-page.tsx'

const SHOWN_ROWS = 50
const IMPORTS_A_PAGE = 20

/** Imports of customers from other services, step by step (decision 143). */
export function declareImport(scope: FastifyInstance, world: World): void {
  declareImportTasks(world)
  scope.get(IMPORT, async (request, reply) =>
    showImports(world, await requireImporter(world, request, reply)),
  )
  scope.register(async (uploads) => {
    const admit = requireImporter.bind(undefined, world)
    await readUploads(uploads, admit, { bytes: LARGEST_IMPORT })
    declareImportUpload(uploads, world)
  })
  scope.get(IMPORT_STEPS, async (request, reply) =>
    showImport(world, await requireImport(world, request, reply)),
  )
  scope.get(`${IMPORT_STEPS}faults.csv`, async (request, reply) =>
    sendFaults(world, await requireImport(world, request, reply)),
  )
  scope.get(`${IMPORT_STEPS}report.csv`, async (request, reply) =>
    sendReport(world, await requireImport(world, request, reply)),
  )
  declareSteps(scope, world)
}

function declareImportUpload(scope: FastifyInstance, world: World): void {
  scope.post(IMPORT, { config: { limits: [UPLOADS] } }, async (request, reply) => {
    const context = await requireImporter(world, request, reply)
    const { app, session } = context
    await limitPage(world, IMPORT_LIMIT, session.user_id, reply)
    const form = formOf(request)
    const source = imports.readSource(form.source)
    const uploaded = source
      ? await uploadImport(world, {
          app_id: app.id,
          seller_id: app.seller_id,
          user_id: session.user_id,
          source,
          file_name: form.file_name ?? '',
          content: uploadOf(request, 'file'),
        })
      : { faults: [{ path: 'source', message: 'Choose the service the file came from.' }] }
    if ('id' in uploaded) return redirectTo(reply, `${importsAddress(app.slug)}${uploaded.id}/`)
    const faults = uploaded.faults.map(({ path, message }) => ({ id: path, message }))
    return await showImports(world, context, { faults, source })
  })
}

function declareSteps(scope: FastifyInstance, world: World): void {
  scope.post(`${IMPORT_STEPS}columns`, async (request, reply) => {
    const context = await requireImport(world, request, reply)
    const { read, address } = context
    if (read.status !== 'uploaded') return redirectTo(reply, address)
    await limitPage(world, IMPORT_LIMIT, context.session.user_id, reply)
    const form = formOf(request)
    const matched = Object.fromEntries(
      imports
        .fieldsOf(read.source)
        .filter(([field]) => /^\d+$/.test(form[field] ?? ''))
        .map(([field]) => [field, Number(form[field])]),
    )
    const { missing } = await matchImport(world, read, matched)
    if (missing.length === 0) {
      return redirectTo(reply, await startImportTask(world, context, 'import_read'))
    }
    const faults = missing.map((id) => {
      return { id, message: `Choose the column for “${FIELD_LABELS[id]}”. It is required.` }
    })
    return await showImport(world, { ...context, read: { ...read, matched } }, faults)
  })

  scope.post(`${IMPORT_STEPS}plans`, async (request, reply) => {
    const context = await requireImport(world, request, reply)
    const { read, address } = context
    if (read.status !== 'read' && read.status !== 'checked') return redirectTo(reply, address)
    if (imports.isExpired(world.clock.now(), read)) return redirectTo(reply, address)
    // Its dry run would mix the plans of both forms.
    const running = await runningTask(world, { app_id: context.app.id, id: read.id })
    if (running) return redirectTo(reply, taskAddress(running.id))
    await limitPage(world, IMPORT_LIMIT, context.session.user_id, reply)
    const form = formOf(request)
    const chosen = await chosenPlans(world, context, form)
    if ('faults' in chosen) return await showImport(world, context, chosen.faults, form)
    const { plans } = chosen
    const isOpen = await choosePlans(world, read.id, { plans, notifies: read.notifies })
    if (!isOpen) return redirectTo(reply, address)
    return redirectTo(reply, await startImportTask(world, context, 'import_check'))
  })

  scope.get(`${IMPORT_STEPS}delete`, async (request, reply) => {
    const context = await requireImport(world, request, reply)
    const { read, address, app } = context
    if (!imports.isDeletable(read)) return redirectTo(reply, address)
    const csrf_token = csrfToken(world, request, reply)
    const page = DeleteImportPage({ ...apps.brandOf(app), read, address, csrf_token })
    return sendPage(reply, page)
  })

  scope.post(`${IMPORT_STEPS}delete`, async (request, reply) => {
    const context = await requireImport(world, request, reply)
    if (!imports.isDeletable(context.read)) return redirectTo(reply, context.address)
    return redirectTo(reply, await startImportTask(world, context, 'import_delete'))
  })

  scope.post(`${IMPORT_STEPS}run`, async (request, reply) => {
    const context = await requireImport(world, request, reply)
    const { read, address, app } = context
    if (imports.isExpired(world.clock.now(), read)) return redirectTo(reply, address)
    await limitPage(world, IMPORT_LIMIT, context.session.user_id, reply)
    const notifies = formOf(request).notify !== undefined
    await startImport(world, actorOf(context), { id: read.id, notifies })
    const running = await runningTask(world, { app_id: app.id, id: read.id })
    if (running) return redirectTo(reply, taskAddress(running.id))
    const now = await imports.getImport(world.db, read.id)
    if (now.status !== 'importing') return redirectTo(reply, address)
    return redirectTo(reply, await startImportTask(world, context, 'import_run'))
  })
}

const NOTES: Record<string, string> = { deleted: 'Import deleted.' }

async function showImports(
  world: World,
  context: SellerTermsContext,
  refused: { faults: FormFault[]; source?: imports.ImportSource | undefined } = { faults: [] },
): Promise<FastifyReply> {
  const { app, request, reply } = context
  const total = await imports.countImports(world.db, app.id)
  const paging = pagingOf(request, { total, size: IMPORTS_A_PAGE })
  const page = ImportsPage({
    ...appFactsOf(world, context, NOTES),
    address: importsAddress(app.slug),
    imports: await imports.listImports(world.db, app.id, paging),
    paging,
    source: refused.source,
    faults: refused.faults,
  })
  return sendPage(reply, page, { status: refused.faults.length > 0 ? 422 : 200 })
}

async function showImport(
  world: World,
  context: ImportContext,
  faults: FormFault[] = [],
  form: Record<string, string> = {},
): Promise<FastifyReply> {
  const { db } = world
  const { read, app, address, reply } = context
  const import_id = read.id
  const running = await runningTask(world, { app_id: app.id, id: import_id })
  const products = await catalog.paidProducts(db, app.id)
  const page = ImportPage({
    ...appFactsOf(world, context),
    read,
    address,
    back: importsAddress(app.slug),
    is_test_mode: world.live !== undefined,
    is_approved: app.external_sales_enabled,
    is_expired: imports.isExpired(world.clock.now(), read),
    running_url: running && taskAddress(running.id),
    products: products.map(({ id, name }) => ({ value: id, label: name })),
    file_plans: read.status === 'uploaded' ? [] : await imports.plansOf(db, import_id),
    file_faults: await imports.faultsOf(db, { import_id, limit: SHOWN_ROWS }),
    stored_faults: await imports.countFaults(db, import_id),
    rows: await imports.reportedRows(db, { import_id, after: 0, limit: SHOWN_ROWS }),
    continued: await imports.countContinued(db, read),
    form,
    faults,
  })
  return sendPage(reply, page, { status: faults.length > 0 ? 422 : 200 })
}
