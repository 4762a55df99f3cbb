import type { FastifyInstance } from 'fastify'
import type { JSX } from 'preact'
import * as apps from '#domain/apps'
import * as sellers from '#domain/sellers'
import { forReports, type World } from '#flows/world'
import { withQuery } from '#http/address'
import { declareExport, startExport } from '#http/exports'
import { requireAppSales, SIDES } from '#http/guards/seller-or-staff'
import { SERVES_SUSPENDED } from '#http/guards/viewing'
import { queryOf } from '#http/input'
import { redirectTo, sendPage } from '#http/pages'
import { pageOf } from '#http/pagination'
import { type SearchTexts, searchOf } from '#http/search'
import type { CsvColumn } from '#platform/csv'
import { readInPages } from '#platform/read-in-pages'
import type { TaskName } from '#platform/tasks'
import {
  cursorText,
  exportedSearch,
  exportRequest,
  type ListCursor,
  planOptions,
  readCursor,
  withoutKey,
} from './list-search.ts'
import { pageFacts, type SalesPageFacts } from './sales-context.ts'
import { mayViewApp } from './sales-export.ts'
import { declareSearchForm } from './search-form-route.ts'

const ON_A_PAGE = 50

/** What the page of a list shows. */
export interface ListFacts<Row, Totals, Search> extends SalesPageFacts {
  slug: string
  app_name: string
  has_clock: boolean
  search: Search
  /** The app's plans, for the filter. */
  plans: { value: string; label: string }[]
  rows: Row[]
  totals: Totals
  /** The page on which a plan is given; undefined for members who may not. */
  give_path: string | undefined
  /** The page of imports, for members who may import. */
  import_path: string | undefined
  /** Whether the search matches more than is listed. */
  is_cut: boolean
  /** The paths of the next page, and of the first page if this is not it. */
  older: string | undefined
  newest: string | undefined
}

/** A list of what an app sold, such as its customers: a page, and its export. */
export interface AppList<Row, Totals extends { count: number }, Filter, Name extends string> {
  /** Its name in addresses and in the name of the exported file. */
  name: string
  export: { kind: TaskName; title: string; columns: CsvColumn<Row>[] }
  /** The fields of its search. */
  fields: readonly Name[]
  filterOf(world: World, app: apps.App, search: SearchTexts<Name>): Promise<Filter>
  read(
    world: World,
    question: { filter: Filter; search: SearchTexts<Name>; limit: number } & {
      after: ListCursor | undefined
    },
  ): Promise<Row[]>
  cursorOf(row: Row): ListCursor
  totals(world: World, filter: Filter): Promise<Totals>
  isCut(filter: Filter): boolean
  Page(facts: ListFacts<Row, Totals, SearchTexts<Name>>): JSX.Element
}

/** Declares the page of a list, and its export. */
export function declareAppList<Row, Totals extends { count: number }, Filter, Name extends string>(
  scope: FastifyInstance,
  world: World,
  list: AppList<Row, Totals, Filter, Name>,
): void {
  const reporting = forReports(world)
  const path = `${SIDES.seller}/${list.name}/`
  declareListExport(reporting, list)
  declareSearchForm(scope, reporting, list)

  scope.get(path, async (request, reply) => {
    const context = await requireAppSales(reporting, request, reply, 'view')
    const { app, member, base } = context
    const may = (permission: sellers.SellerPermission) => sellers.isAllowed(member.role, permission)
    const given = searchOf(request, list.fields)
    const search = await withoutKey(reporting, app, given)
    if (search !== given) return redirectTo(reply, withQuery(`${base}/${list.name}/`, search))
    const after = readCursor(queryOf(request, 'below'))
    const filter = await list.filterOf(reporting, app, search)
    const question = { filter, search, after, limit: ON_A_PAGE + 1 }
    const found = await list.read(reporting, question)
    const { rows, ...addresses } = pageOf(found, {
      size: ON_A_PAGE,
      path: `${base}/${list.name}/`,
      query: search,
      is_first: !after,
      belowOf: (row) => cursorText(list.cursorOf(row)),
    })
    const page = list.Page({
      ...pageFacts(reporting, context, app),
      slug: app.slug,
      app_name: app.name,
      has_clock: world.processor.has_test_clock,
      search,
      plans: await planOptions(reporting, app.id),
      rows,
      give_path: may('support') ? `${base}/licenses/give/` : undefined,
      import_path: may('move_data') ? `${base}/import/` : undefined,
      totals: await list.totals(reporting, filter),
      is_cut: list.isCut(filter),
      ...addresses,
    })
    return sendPage(reply, page)
  })

  scope.post(`${path}export`, SERVES_SUSPENDED, async (request, reply) => {
    const context = await requireAppSales(world, request, reply, 'view')
    const { app } = context
    const search = await withoutKey(world, app, searchOf(request, list.fields))
    const asked = exportRequest(app.slug, search)
    return await startExport(world, context, {
      kind: list.export.kind,
      app_id: app.id,
      request: asked,
    })
  })
}

function declareListExport<Row, Totals extends { count: number }, Filter, Name extends string>(
  world: World,
  list: AppList<Row, Totals, Filter, Name>,
): void {
  const { name, fields } = list
  declareExport(world, {
    ...list.export,
    isAllowed: (task) => mayViewApp(world, task),
    nameOf: ({ request }) => `${exportedSearch(request, fields).slug}-${name}.csv`,
    back({ request }) {
      const { slug, search } = exportedSearch(request, fields)
      return withQuery(`/dashboard/apps/${slug}/${name}/`, search)
    },
    async open({ app_id, request }) {
      const app = await apps.get(world.db, app_id!)
      const { search } = exportedSearch(request, fields)
      const filter = await list.filterOf(world, app, search)
      const { count: total } = await list.totals(world, filter)
      const pages = readInPages<Row, ListCursor>(
        (page) => list.read(world, { filter, search, ...page }),
        list.cursorOf,
      )
      return { total, pages }
    },
  })
}
