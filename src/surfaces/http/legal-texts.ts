import { fileURLToPath } from 'node:url'
import { formatDay } from '#design/money'
import { RETRY_DAYS } from '#domain/billing'
import type { World } from '#flows/world'
import type { Config } from '#platform/config'
import { readDocument, type TextDocument } from '#platform/documents'
import { escapeMarkup } from '#platform/text'

/** The default texts, used where the operator has not replaced one. */
const DEFAULTS = fileURLToPath(new URL('../../../legal', import.meta.url))

/** The legal texts by file name, with their paths. */
export const LEGAL_PAGES = {
  terms: '/terms/',
  'seller-terms': '/seller-terms/',
  privacy: '/privacy/',
  refunds: '/refunds/',
  help: '/help/',
} as const

export type LegalName = keyof typeof LEGAL_PAGES

type LegalFacts = Pick<World, 'config' | 'processor'>

/** Reads a legal text with the operator's settings filled in; throws a ConfigError. */
export function readLegalText(world: LegalFacts, name: LegalName): TextDocument {
  const { legal_dir } = world.config.operator
  const folders = [...(legal_dir ? [legal_dir] : []), DEFAULTS]
  return readDocument(folders, name, legalValues(world))
}

/** "Version 1.0, November 22, 2026" */
export function versionOf({ version, date }: TextDocument): string {
  return `Version ${version}, ${formatDay(new Date(`${date}T00:00:00Z`))}`
}

function legalValues({ config, processor }: LegalFacts): Record<string, string> {
  const { operator, base_url } = config
  const { legal_name: name, is_test_mode } = processor
  const values = {
    legal_name: operator.legal_name,
    address: operator.address.join(', '),
    tax_id: operator.tax_id,
    support_email: operator.support_email,
    support_url: operator.support_url,
    statement_descriptor: operator.statement_descriptor,
    governing_law: operator.governing_law,
    base_url,
    processor: name,
    retry_days: String(RETRY_DAYS.at(-1)),
    processor_sentence: `Payments are processed by ${name}${is_test_mode ? '; no real money moves' : ''}.`,
  }
  const escaped = Object.entries(values).map(([key, value]) => [key, escapeMarkup(value)])
  const address_lines = operator.address.map(escapeMarkup).join('<br>')
  return { ...Object.fromEntries(escaped), address_lines, support_line: supportLine(config) }
}

/** A line that names the support page; empty where the contact page itself is that page. */
function supportLine({ operator: { support_url }, base_url }: Config): string {
  return support_url === `${base_url}${LEGAL_PAGES.help}`
    ? ''
    : `<br>Support: ${escapeMarkup(support_url)}`
}
