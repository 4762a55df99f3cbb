import { statementText } from '#domain/payments'
import type { World } from '#flows/world'
import type { EmailTemplate, StoredEmail } from '#platform/email-queue'
import type { Locale } from '#platform/language/locale'
import type { Attachment } from '#platform/mail'
import type { Operator } from '#platform/operator'

/** An email as blocks, from which both text and HTML are rendered. */
export interface EmailContent {
  subject: string
  heading: string
  blocks: Block[]
}

/** A finished email with its recipients and attachments. */
export interface WrittenEmail {
  /** The email addresses of the recipients. */
  to: string[]
  /** The language of its content; English by default. */
  locale?: Locale
  content: EmailContent
  attachments?: Attachment[]
}

/** Writes an email as things are now; undefined if it is out of date. */
export type WriteEmail<Template extends EmailTemplate> = (
  world: World,
  email: StoredEmail<Template>,
) => Promise<WrittenEmail | undefined>

/** How each of these emails is written. */
export type EmailWriters<Templates extends EmailTemplate> = {
  [Template in Templates]: WriteEmail<Template>
}

/** A line of a table: a term, and its value. */
export type Row = [term: string, value: string]

/**
 * A part of an email. What an email asks its reader to do is its one `action`. `total` is the term
 * of the row in bold.
 */
export type Block =
  | { kind: 'text'; text: string }
  | { kind: 'rows'; rows: Row[]; total?: string }
  | { kind: 'code'; label: string; value: string }
  | { kind: 'action' | 'link'; label: string; url: string; note?: string }

/** A plan with its app, in one name. */
export function nameOf(plan: { app_name: string; product_name: string }): string {
  return `${plan.app_name} ${plan.product_name}`
}

/** Names the seller, and the statement descriptor unless nothing is ever charged. */
export function soldBy(
  operator: Operator,
  app_name: string,
  { t }: Locale,
  { is_charged = true } = {},
): Block {
  const seller = t('email.sold_by', { merchant: operator.legal_name })
  if (!is_charged) return { kind: 'text', text: seller }
  const { text: statement } = statementText(operator.statement_descriptor, app_name)
  return { kind: 'text', text: `${seller} ${t('email.statement', { statement })}` }
}
