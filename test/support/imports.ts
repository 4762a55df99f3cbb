import * as apps from '#domain/apps'
import * as imports from '#domain/imports'
import {
  checkImport,
  choosePlans,
  matchImport,
  readImport,
  runImport,
  startImport,
  uploadImport,
} from '#flows/imports'
import type { ImportId, ProductId, UserId } from '#platform/ids'
import { sql } from '#platform/sql'
import type { TestService } from './service.ts'

const quietly = async () => {}

type Cast = Pick<TestService, 'world' | 'demo'>

/** The member of the cast's seller who imports. */
export async function importer({ world, demo }: Cast) {
  const { user_id } = await world.db.one<{ user_id: UserId }>(sql`select m.user_id
    from seller_members m join apps a on a.seller_id = m.seller_id
    where a.id = ${demo.app.client_id} and m.role = 'owner'`)
  return { kind: 'seller', user_id, request_id: 'req_test' } as const
}

/** The cast's products that cost something, in their order: plans for the rows of a file. */
export async function paidProducts({ world, demo }: Cast): Promise<ProductId[]> {
  const rows = await world.db.rows<{ id: ProductId }>(sql`select id from products
    where app_id = ${demo.app.client_id} and not is_free order by position`)
  return rows.map(({ id }) => id)
}

/**
 * Uploads and reads a file into the cast's app, with a plan for all of its products, and checks it.
 */
export async function checkedImport(
  service: TestService,
  facts: {
    source: imports.ImportSource
    file: string
    product_id: ProductId
    plans?: Record<string, ProductId | null>
  },
): Promise<imports.Import> {
  const { world, demo } = service
  const { user_id } = await importer(service)
  const { source, product_id } = facts
  const { id: app_id, seller_id } = await apps.get(world.db, demo.app.client_id)
  const uploaded = await uploadImport(world, {
    app_id,
    seller_id,
    user_id,
    source,
    file_name: 'file.csv',
    content: Buffer.from(facts.file),
  })
  if ('faults' in uploaded) throw new Error(uploaded.faults[0]!.message)
  const { id } = uploaded
  const { missing } = await matchImport(world, await imports.getImport(world.db, id), {
    ...(await imports.getImport(world.db, id)).matched,
  })
  if (missing.length > 0) throw new Error(`missing: ${missing.join()}`)
  await readImport(world, id, quietly)
  const found = await imports.plansOf(world.db, id)
  const plans = Object.fromEntries(found.map(({ plan }) => [plan, product_id]))
  await choosePlans(world, id, { plans: { ...plans, ...facts.plans }, notifies: false })
  return await checkImport(world, id, quietly)
}

/** Starts a checked import and runs it; `report` may throw, as a crash does. */
export async function runChecked(
  service: TestService,
  id: ImportId,
  { notifies = false, report = quietly }: { notifies?: boolean; report?: () => Promise<void> } = {},
): Promise<imports.Import> {
  const actor = await importer(service)
  await startImport(service.world, actor, { id, notifies })
  return await runImport(service.world, actor, id, report)
}

/** The chosen options of a page's fields, which a browser sends with its form. */
export function selected(body: string): Record<string, string> {
  const selects = body.matchAll(/<select[^>]*name="([\w-]+)"[^>]*>(.*?)<\/select>/gs)
  const chosen = [...selects].map(([, name, options]) => {
    const option = [...options!.matchAll(/<option([^>]*)>/g)].find(([tag]) => / selected/.test(tag))
    return [name, /value="([^"]*)"/.exec(option?.[1] ?? '')?.[1] ?? '']
  })
  return Object.fromEntries(chosen)
}
