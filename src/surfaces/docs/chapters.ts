import { globSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path/posix'
import { fileURLToPath } from 'node:url'
import { type DocsSection, SECTIONS } from './sections.ts'

/** A page of the documentation, as read from its Markdown file. */
export interface Chapter {
  /** Where it is answered, such as `/docs/quick-start/license-keys/`. */
  path: string
  /** Its file, relative to the project. */
  file: string
  title: string
  description: string
  /** Its section in the side navigation. */
  section: DocsSection
  /** Its place within the section; undefined for a page that the navigation does not list. */
  order: number | undefined
  /** The Markdown after the front matter. */
  text: string
}

const ROOT = fileURLToPath(new URL('../../../', import.meta.url))
const SITE = 'docs/site/'
const HANDBOOK = 'docs/operate/'
const FRONT_MATTER = /^---\n([\s\S]*?)\n---\n/

/** Files outside of docs/site that other pages link to, with the path that answers them. */
const ELSEWHERE: Record<string, string> = { 'CHANGELOG.md': '/changelog/' }

let chapters: Chapter[] | undefined

/**
 * Every page in Markdown: the files of docs/site, and the operator's handbook. Throws for a file
 * without the front matter that it needs.
 */
export function readChapters(): Chapter[] {
  chapters ??= [...readFiles(SITE, readChapter), ...readFiles(HANDBOOK, readHandbook)]
  return chapters
}

function readFiles(folder: string, read: (file: string, text: string) => Chapter): Chapter[] {
  return globSync(`${folder}**/*.md`, { cwd: ROOT })
    .map((file) => file.replaceAll('\\', '/'))
    .sort()
    .map((file) => read(file, readFileSync(join(ROOT, file), 'utf8')))
}

function readChapter(file: string, text: string): Chapter {
  const [front = '', block = ''] = FRONT_MATTER.exec(text) ?? []
  const lines = [...block.matchAll(/^(\w+): (.+)$/gm)]
  const facts = Object.fromEntries(lines.map(([, name, value]) => [name, value]))
  const { title, description, order } = facts
  const section = SECTIONS.find((each) => each === facts.section)
  if (!title || !description || !section) {
    throw new Error(`${file} must begin with its title, description and section`)
  }
  return {
    path: pathOf(file)!,
    file,
    title,
    description,
    section,
    order: order === undefined ? undefined : Number(order),
    text: text.slice(front.length),
  }
}

/** A page of the handbook: its title is its heading, and its description its first sentence. */
function readHandbook(file: string, text: string): Chapter {
  const [heading = '', title = ''] = /^# (.+)\n/.exec(text) ?? []
  const [description = ''] = /[^\s#|-].+?\.(?=\s)/s.exec(text.slice(heading.length)) ?? []
  const isIndex = file === `${HANDBOOK}README.md`
  const isIncident = file.startsWith(`${HANDBOOK}incidents/`) && !file.endsWith('README.md')
  return {
    path: pathOf(file)!,
    file,
    title: title.replaceAll('`', ''),
    description: description.replaceAll(/[`*]|\[|\]\([^)]*\)/g, '').replaceAll(/\s+/g, ' '),
    section: 'Self-hosting',
    order: isIncident ? undefined : isIndex ? 10 : 20,
    text: text.slice(heading.length),
  }
}

/** The path of a Markdown file's page; undefined if it is not a page. */
export function pathOf(file: string): string | undefined {
  const plain = file.replace(/\.md$/, '')
  if (plain.startsWith(SITE)) return `/docs/${withoutIndex(plain.slice(SITE.length), 'index')}`
  if (!plain.startsWith(HANDBOOK)) return ELSEWHERE[file]
  return `/docs/operate/${withoutIndex(plain.slice(HANDBOOK.length), 'README')}`
}

function withoutIndex(path: string, index: string): string {
  if (path === index) return ''
  return `${path.endsWith(`/${index}`) ? path.slice(0, -index.length - 1) : path}/`
}

/** The file that a relative link of another file leads to. */
export function linkedFile(from: string, href: string): string {
  return normalize(join(dirname(from), href))
}

/** A drawing beside the Markdown, as SVG. */
export function readDrawing(from: string, href: string): string {
  return readFileSync(join(ROOT, linkedFile(from, href)), 'utf8')
}

/** The pages that the navigation lists, in its order. */
export function orderedChapters(all: readonly Chapter[]): Chapter[] {
  return all
    .filter(({ order }) => order !== undefined)
    .sort(
      (a, b) =>
        SECTIONS.indexOf(a.section) - SECTIONS.indexOf(b.section) ||
        a.order! - b.order! ||
        (a.title < b.title ? -1 : 1),
    )
}
