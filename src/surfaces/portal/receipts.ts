import type { FastifyInstance } from 'fastify'
import * as billing from '#domain/billing'
import { resendReceipt } from '#flows/resend-receipt'
import type { World } from '#flows/world'
import { MANAGE_PATH } from '#http/guards/license'
import { paramsOf, requireId } from '#http/input'
import { invoicePdf } from '#http/invoice-pdf'
import { redirectTo, sendPdf } from '#http/pages'
import { refuse } from '#http/refusals'
import { requireManagedLicense } from './license-context.ts'
import { receiptWait } from './notes.ts'

/** Receipt PDFs for the buyer. */
export function declareReceipts(scope: FastifyInstance, world: World): void {
  scope.get(`${MANAGE_PATH}/invoices/:invoice_id(^inv_\\w{22}$).pdf`, async (request, reply) => {
    const { session, app } = await requireManagedLicense(world, request, reply)
    const invoice_id = requireId('inv', paramsOf('/:invoice_id', request).invoice_id)
    const receipt = await billing.findReceipt(world.db, invoice_id)
    if (receipt?.user_id !== session.user_id || receipt.app_id !== app.id) {
      throw refuse('not_found')
    }
    const { filename, pdf } = await invoicePdf(world, receipt)
    return sendPdf(reply.header('content-language', receipt.language), filename, pdf)
  })

  scope.post(`${MANAGE_PATH}/receipt`, async (request, reply) => {
    const { license, at } = await requireManagedLicense(world, request, reply)
    const order_id = await billing.orderOfLicense(world.db, license.license_id)
    if (!order_id || license.status === 'canceled') return redirectTo(reply, at())
    const resent = await resendReceipt(world, order_id)
    const done = resent.outcome === 'sent' ? 'receipt_sent' : receiptWait(resent.retry_after)
    return redirectTo(reply, at('', { done }))
  })
}
