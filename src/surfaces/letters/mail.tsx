import { renderToString } from 'preact-render-to-string'
import type { Block, Words } from './words.ts'

// Mail programs know no stylesheets: a letter's look stands in its elements.
const ink = '#15231f'
const faded = '#5a6762'
const accent = '#0d4f46'
const paper = '#fbfaf5'
const font = "-apple-system, 'Segoe UI', Roboto, Helvetica, Arial, sans-serif"

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
              <td style={{ padding: '6px 0', textAlign: 'right' }}>{value}</td>
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

/** A letter as HTML that common mail programs show. */
export function letterHtml({ subject, heading, blocks }: Words): string {
  const document = (
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>{subject}</title>
      </head>
      <body style={{ margin: 0, background: paper, color: ink, fontFamily: font }}>
        <main style={{ maxWidth: '520px', margin: '0 auto', padding: '32px 20px' }}>
          <p style={{ color: accent, fontWeight: 700 }}>Purser</p>
          <h1 style={{ fontSize: '22px' }}>{heading}</h1>
          {blocks.map((block, index) => (
            <BlockView key={index} block={block} />
          ))}
        </main>
      </body>
    </html>
  )
  return `<!doctype html>${renderToString(document)}`
}

/** A letter as plain text. */
export function letterText({ heading, blocks }: Words): string {
  return [heading, ...blocks.map(textOf)].join('\n\n')
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
