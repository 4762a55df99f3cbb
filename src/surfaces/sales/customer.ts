import type { FastifyInstance } from 'fastify'
import * as billing from '#domain/billing'
import * as payments from '#domain/payments'
import * as sellers from '#domain/sellers'
import { forReports, type World } from '#flows/world'
import { noteFor } from '#http/action-note'
import { requireAppSales } from '#http/guards/seller-or-staff'
import { readNumber } from '#http/input'
import { sendPage } from '#http/pages'
import { readPanel } from '#http/pagination'
import { actionsFor, NOTES } from './customer-action.ts'
import { CUSTOMER_PATH, licenseOf } from './customer-context.ts'
import { CustomerPage } from './customer-page.tsx'
import { pageFacts } from './sales-context.ts'

const MAX_SHOWN = 50

/** The page of a customer, by one of their licenses. */
export function declareCustomer(scope: FastifyInstance, world: World): void {
  const reporting = forReports(world)
  const { db } = reporting

  scope.get(`${CUSTOMER_PATH}/`, async (request, reply) => {
    const context = await requireAppSales(reporting, request, reply, 'view')
    const { app } = context
    const license = await licenseOf(reporting, context)
    const { license_id } = license
    const bought = await payments.licensesOfCustomer(db, license)
    const span = { app_id: app.id, license_id }
    const path = `${context.base}/customers/${license_id}/`
    const latest = await billing.invoicesOfLicense(db, license_id, { limit: MAX_SHOWN + 1 })
    const page = CustomerPage({
      ...pageFacts(reporting, context, app),
      app_name: app.name,
      license,
      others: bought.filter((each) => each.license_id !== license_id),
      invoices: await readPanel(request, {
        id: 'invoices',
        path,
        size: MAX_SHOWN,
        read: async ({ below, limit }) => {
          if (below === undefined) return latest
          return await billing.invoicesOfLicense(db, license_id, {
            below: readNumber(below),
            limit,
          })
        },
        belowOf: ({ number }) => String(number),
      }),
      refunds: await payments.refundsOfLicense(db, license_id),
      disputes: await payments.disputesOfLicense(db, license_id),
      events: await readPanel(request, {
        id: 'timeline',
        path,
        size: MAX_SHOWN,
        read: ({ below, limit }) =>
          billing.timelineEvents(db, span, { limit, is_reversed: true, below: placeIn(below) }),
        belowOf: placeText,
      }),
      opens_disputes: sellers.isAllowed(context.member.role, 'support'),
      actions: actionsFor(context, license, latest),
      note: noteFor(request, NOTES),
    })
    return sendPage(reply, page)
  })
}

/** The place of an event as a query parameter. */
function placeText({ at, rank, kind, tie }: billing.TimelinePlace): string {
  return [at.getTime(), rank, kind, tie].join('-')
}

function placeIn(text: string | undefined): billing.TimelinePlace | undefined {
  const [, at, rank, kind = '', tie = ''] =
    /^(\d{1,14})-(\d)-(\w{1,20})-(\w{1,40})$/.exec(text ?? '') ?? []
  return at ? { at: new Date(Number(at)), rank: Number(rank), kind, tie } : undefined
}
