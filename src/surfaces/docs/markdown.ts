import { Marked, type RendererObject, type Tokens } from 'marked'
import { h, type VNode } from 'preact'
import { renderToStaticMarkup } from 'preact-render-to-string'
import { CodeBlock } from '#design/reading'
import { highlight } from '#platform/highlight'
import { escapeMarkup } from '#platform/text'
import { type Chapter, linkedFile, pathOf, readDrawing } from './chapters.ts'

/** A heading of a page, for its table of contents. */
export interface PageHeading {
  id: string
  depth: number
  title: string
}

/** The content of a page. */
export interface Rendered {
  clean_html: string
  headings: PageHeading[]
}

/**
 * What Markdown may refer to: values as `{{name}}`, and parts of a page as `<!-- insert: name -->`.
 */
export interface Insertable {
  values: Record<string, string>
  parts: Record<string, (values: Record<string, string>) => VNode>
}

const ROW_NAME = 'th scope="row"'
const ALERTS: Record<string, string> = { NOTE: 'Note', TIP: 'Tip', WARNING: 'Warning' }

/**
 * Renders a page. Links to other Markdown files become links to their pages, and drawings become
 * part of the page. Throws for a value, a part or a file that does not exist.
 */
export function renderChapter(chapter: ChapterText, insertable: Insertable): Rendered {
  const page: PageInProgress = { chapter, headings: [], ids: new Set(), codes: 0, regions: 0 }
  const marked = new Marked({ gfm: true })
  marked.use({ renderer: referringRenderer(page, insertable) })
  marked.use({ renderer: blockRenderer(page) })
  const text = fillIn(chapter, insertable.values)
  return { clean_html: marked.parse(text, { async: false }), headings: page.headings }
}

/** What of a page is rendered. */
export type ChapterText = Pick<Chapter, 'file' | 'title' | 'text'>

/** What is known of a page while it is rendered. */
interface PageInProgress {
  chapter: ChapterText
  headings: PageHeading[]
  ids: Set<string>
  codes: number
  regions: number
}

/** A name for a part of a page that no other part has. */
function regionName(page: PageInProgress, kind: string): string {
  page.regions += 1
  return escapeMarkup(
    `${page.headings.at(-1)?.title ?? page.chapter.title}, ${kind} ${page.regions}`,
  )
}

/** An ID for a heading; one that repeats an earlier heading gets a number. */
function unusedId({ ids }: PageInProgress, id: string): string {
  let unused = id
  for (let number = 2; ids.has(unused); number++) unused = `${id}-${number}`
  return unused
}

/** What leads somewhere: headings, links, drawings, and parts that the service makes. */
function referringRenderer(page: PageInProgress, { values, parts }: Insertable): RendererObject {
  const { chapter } = page
  return {
    heading({ tokens, depth, text }) {
      const [, own] = / \{#([\w-]+)\}$/.exec(text) ?? []
      const html = this.parser.parseInline(tokens).replace(/ \{#[\w-]+\}$/, '')
      const title = plain(html)
      const id = own ?? unusedId(page, slug(title))
      if (page.ids.has(id)) throw new Error(`${chapter.file}: two headings have the ID ${id}`)
      page.ids.add(id)
      page.headings.push({ id, depth, title })
      return `<h${depth} id="${id}"><a class="anchor" href="#${id}">${html}</a></h${depth}>\n`
    },
    link({ href, tokens }) {
      const inner = this.parser.parseInline(tokens)
      const to = targetOf(chapter, href)
      return to === undefined ? inner : `<a href="${escapeMarkup(to)}">${inner}</a>`
    },
    image({ href, text }) {
      return drawing(readDrawing(chapter.file, href), text, slug(href))
    },
    html({ text }) {
      const [, name] = /^<!-- insert: ([\w-]+) -->/.exec(text) ?? []
      if (name === undefined) return ''
      const part = parts[name]
      if (!part) throw new Error(`${chapter.file}: there is no part ${name}`)
      return renderToStaticMarkup(part(values))
    },
  }
}

/** Code with its colors and a button to copy it, tables that scroll, and notes. */
function blockRenderer(page: PageInProgress): RendererObject {
  return {
    code({ text, lang }) {
      const [tag = '', ...rest] = (lang ?? '').split(' ')
      const label = rest.join(' ') || (tag === 'sh' ? 'Terminal' : 'Example')
      page.codes += 1
      const facts = { id: `code-${page.codes}`, label, code: text }
      return renderToStaticMarkup(h(CodeBlock, { ...facts, clean_html: highlight(text, tag) }))
    },
    table({ header, rows }) {
      // A table without a name for its first column has the names of its rows there.
      const names_rows = header[0]?.text === ''
      const cell = ({ tokens }: Tokens.TableCell, tag: string) =>
        `<${tag}>${this.parser.parseInline(tokens)}</${tag.replace(/ .*/, '')}>`
      const head = header.map((each) => cell(each, each.text ? 'th scope="col"' : 'td')).join('')
      const body = rows
        .map((row) => row.map((each, at) => cell(each, names_rows && at === 0 ? ROW_NAME : 'td')))
        .map((cells) => `<tr>${cells.join('')}</tr>`)
        .join('')
      const label = regionName(page, 'table')
      return `<div class="scrolls" role="region" aria-label="${label}" tabindex="0"><table><thead><tr>${head}</tr></thead><tbody>${body}</tbody></table></div>\n`
    },
    checkbox() {
      return '<span aria-hidden="true">☐</span> '
    },
    blockquote({ tokens }) {
      const html = this.parser.parse(tokens)
      const [mark, kind] = /^<p>\[!(NOTE|TIP|WARNING)\]\s*/.exec(html) ?? []
      if (!mark) return `<blockquote>${html}</blockquote>\n`
      const name = ALERTS[kind!]!
      const label = regionName(page, name.toLowerCase())
      return `<aside class="callout callout-${name.toLowerCase()}" aria-label="${label}"><p class="callout-name">${name}</p>${html.replace(mark, '<p>')}</aside>\n`
    },
  }
}

/** The Markdown with the values of this installation. */
export function fillIn({ file, text }: ChapterText, values: Record<string, string>): string {
  return text.replaceAll(/\{\{(\w+)\}\}/g, (_, name: string) => {
    const value = values[name]
    if (value === undefined) throw new Error(`${file}: {{${name}}} is not known`)
    return value
  })
}

/** Where a link leads; undefined for a file of the project that is no page. */
function targetOf({ file }: ChapterText, href: string): string | undefined {
  if (/^(https?:|mailto:|#)/.test(href)) return href
  const [path = '', anchor] = href.split('#', 2)
  const target = pathOf(linkedFile(file, path))
  return target && (anchor === undefined ? target : `${target}#${anchor}`)
}

function slug(text: string): string {
  return text
    .toLowerCase()
    .replaceAll(/[^\w\s/.-]/g, '')
    .trim()
    .replaceAll(/[\s/.]+/g, '-')
}

/** HTML without its tags. */
export function plain(html: string): string {
  return (
    html
      .replaceAll(/<(script|style|svg|form|button)[\s\S]*?<\/\1>/g, ' ')
      .replaceAll(/<[^>]+>/g, ' ')
      .replaceAll('&lt;', '<')
      .replaceAll('&gt;', '>')
      .replaceAll('&quot;', '"')
      .replaceAll('&#39;', "'")
      .replaceAll('&amp;', '&')
      .replaceAll(/\s+/g, ' ')
      // A tag beside punctuation is no space.
      .replaceAll(/ ([.,;:!?)]+)(?=\s|$)/g, '$1')
      .replaceAll('( ', '(')
      .trim()
  )
}

/** An SVG file as part of the page, in the colors of the page, with its text for screen readers. */
function drawing(svg: string, text: string, id: string): string {
  const inner = svg.replace(/^[\s\S]*?<svg[^>]*>/, '').replace(/<(title|style)>[\s\S]*?<\/\1>/g, '')
  const [, box = ''] = /viewBox="([^"]+)"/.exec(svg) ?? []
  const title = `<title id="${id}">${escapeMarkup(text)}</title>`
  return `<figure class="drawing"><svg role="img" aria-labelledby="${id}" viewBox="${box}" width="${box.split(' ')[2]}">${title}${inner}</figure>`
}
