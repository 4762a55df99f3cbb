import type { FastifyInstance } from 'fastify'
import * as billing from '#domain/billing'
import { resendReceipt } from '#flows/resend-receipt'
import type { World } from '#flows/world'
import { invoicePdf } from '#surfaces/invoice-pdf'
import { goTo, sendPdf } from '#surfaces/pages'
import { refuse } from '#surfaces/refusals'
import { forHolder } from './holder.ts'
import { receiptWait } from './notes.ts'

/** What was paid, as papers for the one who paid it. */
export function declareReceipts(scope: FastifyInstance, world: World): void {
  scope.get(
    '/manage/:client_id/invoices/:invoice_id(^inv_\\w{22}$).pdf',
    forHolder(world, async ({ request, reply, session, app }) => {
      const { invoice_id } = request.params as { invoice_id: string }
      const receipt = await billing.tellInvoice(world.db, invoice_id)
      if (receipt?.user_id !== session.user_id || receipt.app_id !== app.id) {
        throw refuse('not_found')
      }
      const { filename, pdf } = await invoicePdf(world, receipt)
      return sendPdf(reply, filename, pdf)
    }),
  )

  scope.post(
    '/manage/:client_id/receipt',
    forHolder(world, async ({ reply, license, at }) => {
      const order_id = await billing.orderOfLicense(world.db, license.license_id)
      if (!order_id || license.status === 'canceled') return goTo(reply, at())
      const resent = await resendReceipt(world, order_id)
      const done = resent.outcome === 'sent' ? 'receipt_sent' : receiptWait(resent.retry_after)
      return goTo(reply, at('', { done }))
    }),
  )
}
