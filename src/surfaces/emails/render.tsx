import { renderToString } from 'preact-render-to-string'
import type { Config } from '#platform/config'
import { ENGLISH, type Locale } from '#platform/language/locale'
import type { Block, EmailContent, Row } from './template.ts'

// Email clients ignore stylesheets, so styles are inline.
const ink = '#15231f'
const faded = '#5a6762'
const accent = '#0d4f46'
const background = '#fbfaf5'
const hairline = '1px solid #d9d5c8'
const font = "-apple-system, 'Segoe UI', Roboto, Helvetica, Arial, sans-serif"

const link = { color: accent, fontWeight: 600 }
// A program that ignores the padding shows a link with a colored background.
const button = {
  display: 'inline-block',
  padding: '12px 20px',
  borderRadius: '6px',
  color: background,
  backgroundColor: accent,
  fontWeight: 600,
  textDecoration: 'none',
}

/** An address may break anywhere, so that it fits a phone. An amount must not. */
function wrapOf(value: string): { overflowWrap?: 'anywhere' } {
  return /\S{16}/.test(value) ? { overflowWrap: 'anywhere' } : {}
}

function BlockView({ block }: { block: Block }) {
  switch (block.kind) {
    case 'text':
      return <p style={{ color: faded, fontSize: '14px' }}>{block.text}</p>
    case 'rows':
      return (
        <table role="presentation" width="100%" cellpadding="0" cellspacing="0">
          {block.rows.map((row) => (
            <RowView key={row[0]} row={row} is_total={row[0] === block.total} />
          ))}
        </table>
      )
    case 'code':
      return (
        <div style={{ margin: '20px 0' }}>
          <div style={{ color: faded, fontSize: '14px' }}>{block.label}</div>
          <div
            style={{
              fontFamily: 'ui-monospace, Menlo, Consolas, monospace',
              fontSize: '15px',
              padding: '12px',
              marginTop: '6px',
              border: hairline,
              wordBreak: 'break-all',
            }}
          >
            {block.value}
          </div>
        </div>
      )
    case 'action':
    case 'link':
      return (
        <p style={{ margin: '18px 0' }}>
          <a href={block.url} style={block.kind === 'action' ? button : link}>
            {block.label}
          </a>
          {block.note && (
            <span style={{ display: 'block', marginTop: '6px', color: faded, fontSize: '14px' }}>
              {block.note}
            </span>
          )}
        </p>
      )
  }
}

function RowView({ row: [term, value], is_total }: { row: Row; is_total: boolean }) {
  const cell = { borderBottom: hairline, verticalAlign: 'top' }
  const [color, fontWeight] = is_total ? [ink, 700] : [faded, 400]
  return (
    <tr>
      <td style={{ ...cell, padding: '8px 0', color, fontWeight }}>{term}</td>
      <td
        style={{
          ...cell,
          padding: '8px 0 8px 12px',
          textAlign: 'right',
          fontWeight,
          ...wrapOf(value),
        }}
      >
        {value}
      </td>
    </tr>
  )
}

/** The footer of every email: the sender, and how to get help. */
export interface Footer {
  sender: string
  support_email: string
  links: { label: string; url: string }[]
}

/** The email footer of this operator. */
export function footerOf({ operator, base_url }: Config, { t }: Locale = ENGLISH): Footer {
  return {
    sender: [operator.legal_name, ...operator.address].join(', '),
    support_email: operator.support_email,
    links: [
      { label: t('email.terms'), url: `${base_url}/terms/` },
      { label: t('email.refund_policy'), url: `${base_url}/refunds/` },
      { label: t('email.privacy'), url: `${base_url}/privacy/` },
    ],
  }
}

function FooterView({ footer, locale }: { footer: Footer; locale: Locale }) {
  const small = { color: faded }
  const email = (
    <a href={`mailto:${footer.support_email}`} style={small}>
      {footer.support_email}
    </a>
  )
  return (
    <footer style={{ marginTop: '32px', borderTop: hairline, fontSize: '12px' }}>
      <p style={small}>{locale.rich('email.questions', { email })}</p>
      <p style={small}>{footer.sender}</p>
      <p style={small}>
        {footer.links.map(({ label, url }, at) => (
          <>
            {at > 0 && ' · '}
            <a href={url} style={small}>
              {label}
            </a>
          </>
        ))}
      </p>
    </footer>
  )
}

/** An email as HTML that common mail programs show. */
export function emailHtml(
  { subject, heading, blocks }: EmailContent,
  footer: Footer,
  locale: Locale = ENGLISH,
): string {
  const { language, direction } = locale
  const document = (
    <html lang={language} dir={direction === 'rtl' ? direction : undefined}>
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>{subject}</title>
      </head>
      <body style={{ margin: 0, background, color: ink, fontFamily: font, lineHeight: 1.5 }}>
        <main style={{ maxWidth: '520px', margin: '0 auto', padding: '32px 20px' }}>
          <p style={{ color: accent, fontWeight: 700 }}>Purser</p>
          <h1 style={{ fontSize: '22px', lineHeight: 1.3 }}>{heading}</h1>
          {blocks.map((block, index) => (
            <BlockView key={index} block={block} />
          ))}
          <FooterView footer={footer} locale={locale} />
        </main>
      </body>
    </html>
  )
  return `<!doctype html>${renderToString(document)}`
}

/** An email as plain text. */
export function emailText(
  { heading, blocks }: EmailContent,
  footer: Footer,
  { t }: Locale = ENGLISH,
): string {
  const { sender, support_email, links } = footer
  const questions = t('email.questions', { email: support_email })
  const end = ['--', questions, sender, ...links.map(({ label, url }) => `${label}: ${url}`)]
  return [heading, ...blocks.map(textOf), end.join('\n')].join('\n\n')
}

function textOf(block: Block): string {
  switch (block.kind) {
    case 'text':
      return block.text
    case 'rows':
      return block.rows.map(([term, value]) => `${term}: ${value}`).join('\n')
    case 'code':
      return `${block.label}:\n${block.value}`
    case 'action':
    case 'link':
      return `${block.label}: ${block.url}${block.note ? `\n${block.note}` : ''}`
  }
}
