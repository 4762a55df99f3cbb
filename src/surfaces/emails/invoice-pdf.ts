import type { Receipt } from '#domain/billing'
import type { World } from '#flows/world'
import { invoicePdf } from '#http/invoice-pdf'
import type { Attachment } from '#platform/mail'

/** The receipt of a paid bill, to go along with an email. */
export async function invoiceAttachment(world: World, receipt: Receipt): Promise<Attachment> {
  const { filename, pdf } = await invoicePdf(world, receipt)
  return { filename, content_type: 'application/pdf', content: pdf }
}
