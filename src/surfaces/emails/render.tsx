import { renderToString } from 'preact-render-to-string'
import type { Config } from '#platform/config'
import { ENGLISH, type Locale } from '#platform/language/locale'
import type { Block, EmailContent } from './template.ts'

// Email clients ignore stylesheets, so styles are inline.
const ink = '#15231f'
const faded = '#5a6762'
const accent = '#0d4f46'
const background = '#fbfaf5'
const font = "-apple-system, 'Segoe UI', Roboto, Helvetica, Arial, sans-serif"

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
          {block.rows.map(([term, value]) => (
            <tr key={term}>
              <td style={{ padding: '6px 0', color: faded }}>{term}</td>
              <td style={{ padding: '6px 0 6px 12px', textAlign: 'right', ...wrapOf(value) }}>
                {value}
              </td>
            </tr>
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
              border: '1px solid #d9d5c8',
              wordBreak: 'break-all',
            }}
          >
            {block.value}
          </div>
        </div>
      )
    case 'link':
      return (
        <p style={{ margin: '18px 0' }}>
          <a href={block.url} style={{ color: accent, fontWeight: 600 }}>
            {block.label}
          </a>
          {block.note && (
            <span style={{ display: 'block', color: faded, fontSize: '14px' }}>{block.note}</span>
          )}
        </p>
      )
  }
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
  const link = { color: faded }
  const email = (
    <a href={`mailto:${footer.support_email}`} style={link}>
      {footer.support_email}
    </a>
  )
  return (
    <footer style={{ marginTop: '32px', borderTop: '1px solid #d9d5c8', fontSize: '12px' }}>
      <p style={link}>{locale.rich('email.questions', { email })}</p>
      <p style={link}>{footer.sender}</p>
      <p style={link}>
        {footer.links.map(({ label, url }, at) => (
          <>
            {at > 0 && ' · '}
            <a href={url} style={link}>
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
      <body style={{ margin: 0, background, color: ink, fontFamily: font }}>
        <main style={{ maxWidth: '520px', margin: '0 auto', padding: '32px 20px' }}>
          <p style={{ color: accent, fontWeight: 700 }}>Purser</p>
          <h1 style={{ fontSize: '22px' }}>{heading}</h1>
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
    case 'link':
      return `${block.label}: ${block.url}${block.note ? `\n${block.note}` : ''}`
  }
}
