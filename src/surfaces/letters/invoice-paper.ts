import type { Receipt } from '#domain/billing'
import type { World } from '#flows/world'
import type { Attachment } from '#platform/mail'
import { invoicePdf } from '#surfaces/invoice-paper'

/** The receipt of a paid bill, to go along with a letter. */
export async function invoicePaper(world: World, receipt: Receipt): Promise<Attachment> {
  const { filename, pdf } = await invoicePdf(world, receipt)
  return { filename, content_type: 'application/pdf', content: pdf }
}
