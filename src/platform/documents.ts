import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { marked } from 'marked'
import sanitizeHtml from 'sanitize-html'
import { ConfigError } from '#platform/config'

/** A text that an operator may replace: rendered, sanitized, with its version and its date. */
export interface TextDocument {
  title: string
  version: string
  /** An ISO calendar date. */
  date: string
  clean_html: string
}

const FORMATS = ['md', 'html']
const FRONT_MATTER = /^---\r?\n([\s\S]*?)\r?\n---\r?\n/

const CLEAN: sanitizeHtml.IOptions = {
  allowedTags: [
    ...['p', 'br', 'hr', 'h2', 'h3', 'h4', 'strong', 'em', 'b', 'i', 'u', 'ul', 'ol', 'li', 'a'],
    ...['code', 'pre', 'blockquote', 'table', 'thead', 'tbody', 'tr', 'th', 'td'],
  ],
  allowedAttributes: { a: ['href'] },
  allowedSchemes: ['https', 'http', 'mailto', 'tel'],
  allowProtocolRelative: false,
}

/**
 * Reads a document by its name from the first folder that has it, as Markdown or HTML, and replaces
 * each `{name}` by its value. Throws a ConfigError that names the file.
 */
export function readDocument(
  folders: string[],
  name: string,
  values: Record<string, string>,
): TextDocument {
  const files = folders.flatMap((folder) => FORMATS.map((end) => join(folder, `${name}.${end}`)))
  for (const file of files) {
    const text = readIfThere(file)
    if (text !== undefined) return render(file, text, values)
  }
  throw new ConfigError(`There is no legal text ${name}: looked for ${files.join(', ')}.`)
}

function readIfThere(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw new ConfigError(`${file} cannot be read: ${(error as Error).message}`)
  }
}

function render(file: string, text: string, values: Record<string, string>): TextDocument {
  const front = FRONT_MATTER.exec(text)
  const facts = Object.fromEntries(
    [...(front?.[1] ?? '').matchAll(/^(\w+):\s*(.+?)\s*$/gm)].map(([, key, value]) => [key, value]),
  )
  const { title, version, date } = facts
  if (!title || !version || !/^\d{4}-\d\d-\d\d$/.test(date ?? '')) {
    throw new ConfigError(
      `${file} must begin with a block of title, version and date (YYYY-MM-DD) between lines of ---.`,
    )
  }
  const body = text.slice(front![0].length).replaceAll(/\{(\w+)\}/g, (_, key: string) => {
    const value = values[key]
    if (value === undefined) {
      const known = Object.keys(values).map((each) => `{${each}}`)
      throw new ConfigError(`${file}: {${key}} is unknown; known are ${known.join(', ')}.`)
    }
    return value
  })
  const clean_html = file.endsWith('.md') ? renderMarkdown(body) : cleaned(body)
  return { title, version, date: date!, clean_html }
}

/** A Markdown text as sanitized HTML. */
export function renderMarkdown(text: string): string {
  return cleaned(marked.parse(text, { async: false }))
}

function cleaned(html: string): string {
  return wrapTables(sanitizeHtml(html, CLEAN))
}

/** Wraps each table so that it scrolls horizontally on a narrow screen. */
function wrapTables(html: string): string {
  return html
    .replaceAll('<table>', '<div class="overflow-x-auto" tabindex="0"><table>')
    .replaceAll('</table>', '</table></div>')
}
