import type { FastifyInstance } from 'fastify'
import { forReports, type World } from '#flows/world'
import { withQuery } from '#http/address'
import { type AuditRow, auditRows, cursorText, readCursor } from '#http/audit-rows'
import { declareExport, startExport } from '#http/exports'
import { csrfToken } from '#http/form-token'
import { requireRecentProof } from '#http/guards/session'
import { requireStaff, staffActor } from '#http/guards/staff'
import { queryOf } from '#http/input'
import { sendPage } from '#http/pages'
import { pageOf } from '#http/pagination'
import { searchOf } from '#http/search'
import { audit } from '#platform/audit'
import { countAudit } from '#platform/audit-log'
import { isoSeconds } from '#platform/calendar'
import type { CsvColumn } from '#platform/csv'
import { readInPages } from '#platform/read-in-pages'
import { AuditPage } from './audit-page.tsx'
import { AUDIT_FIELDS, AuditSearch, filterOf } from './audit-search.ts'
import { ON_A_PAGE } from './paging.ts'

const HOME = '/admin/audit/'
const EXPORT = 'export_audit'

/** The audit log: search by actor, action, subject and date, and its export. */
export function declareAudit(scope: FastifyInstance, world: World): void {
  const reporting = forReports(world)
  declareAuditExport(reporting)

  scope.get(HOME, async (request, reply) => {
    const { role } = await requireStaff(reporting, request, reply, HOME, 'audit')
    const search = searchOf(request, AUDIT_FIELDS)
    const below = readCursor(queryOf(request, 'below'))
    const filter = await filterOf(reporting, search)
    const found = await auditRows(reporting, { ...filter, below, limit: ON_A_PAGE + 1 })
    const { rows: entries, ...addresses } = pageOf(found, {
      size: ON_A_PAGE,
      path: HOME,
      query: search,
      is_first: !below,
      belowOf: cursorText,
    })
    const page = AuditPage({
      csrf_token: csrfToken(world, request, reply),
      role,
      search,
      entries,
      ...addresses,
    })
    return sendPage(reply, page)
  })

  scope.post(`${HOME}export`, async (request, reply) => {
    const context = await requireStaff(world, request, reply, HOME, 'audit')
    const search = searchOf(request, AUDIT_FIELDS)
    requireRecentProof(world, context, withQuery(HOME, search))
    await audit(world.db, world.clock.now(), {
      actor: staffActor(context),
      action: 'audit_log.exported',
      subject: context.session.user_id,
      detail: search,
    })
    return await startExport(world, context, { kind: EXPORT, app_id: null, request: search })
  })
}

function declareAuditExport(world: World): void {
  declareExport(world, {
    kind: EXPORT,
    title: 'Exporting the audit log',
    needs: 'audit',
    needs_proof: true,
    columns: COLUMNS,
    nameOf: () => 'audit-log.csv',
    back: ({ request }) => withQuery(HOME, AuditSearch.parse(request)),
    async open({ request }) {
      const search = AuditSearch.parse(request)
      const filter = await filterOf(world, search)
      const pages = readInPages<AuditRow, AuditRow>(
        ({ after: below, limit }) => auditRows(world, { ...filter, below, limit }),
        (last) => last,
      )
      return { total: await countAudit(world.db, filter), pages }
    },
  })
}

const COLUMNS: CsvColumn<AuditRow>[] = [
  { name: 'time', of: ({ at }) => isoSeconds(at) },
  { name: 'actor', of: ({ actor }) => actor },
  { name: 'email', of: ({ email }) => email ?? null },
  { name: 'action', of: ({ action }) => action },
  { name: 'subject', of: ({ subject }) => subject },
  { name: 'detail', of: ({ detail }) => JSON.stringify(detail) },
  { name: 'address', of: ({ address }) => address },
  { name: 'agent', of: ({ agent }) => agent },
  { name: 'request_id', of: ({ request_id }) => request_id },
]
