import type { Receipt } from '#domain/billing'
import type { World } from '#flows/world'
import { invoicePdf } from '#http/invoice-pdf'
import type { Attachment } from '#platform/mail'

/** The invoice PDF of a receipt, as an email attachment. */
export async function invoiceAttachment(world: World, receipt: Receipt): Promise<Attachment> {
  const { filename, pdf } = await invoicePdf(world, receipt)
  return { filename, content_type: 'application/pdf', content: pdf }
}
