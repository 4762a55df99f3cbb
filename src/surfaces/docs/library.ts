import { type Chapter, orderedChapters, readChapters } from './chapters.ts'
import type { DocsLayoutFacts } from './layout.tsx'
import { type Insertable, type Rendered, renderChapter } from './markdown.ts'

/** Parts of pages that are generated from the service, by their names in Markdown. */
export type PartsByName = Insertable['parts']

/** A page, ready to be sent. */
export interface DocsPageFacts {
  layout: DocsLayoutFacts
  clean_html: string
}

/** The documentation of one installation. */
export interface DocsLibrary {
  /** The path of every page. */
  paths: string[]
  /** A page; undefined for another path. */
  page(path: string): DocsPageFacts | undefined
  /** The layout of a page that is no Markdown file, such as the results of a search. */
  layoutOf(facts: { path: string; title: string; description: string }): DocsLayoutFacts
}

/** Opens the documentation. Pages are rendered when they are first requested. */
export function openLibrary(
  base_url: string,
  insertable: { values: () => Record<string, string>; parts: PartsByName },
): DocsLibrary {
  const chapters = readChapters()
  const byPath = new Map(chapters.map((chapter) => [chapter.path, chapter]))
  const ordered = orderedChapters(chapters)
  const rendered = new Map<string, { values: string; result: Rendered }>()

  const render = (chapter: Chapter): Rendered => {
    const facts: Insertable = { values: insertable.values(), parts: insertable.parts }
    const values = JSON.stringify(facts.values)
    const known = rendered.get(chapter.path)
    if (known?.values === values) return known.result
    const result = renderChapter(chapter, facts)
    rendered.set(chapter.path, { values, result })
    return result
  }
  const layoutOf: DocsLibrary['layoutOf'] = (facts) => ({
    ...facts,
    base_url,
    headings: [],
    sections: sectionsOf(ordered, facts.path),
  })
  return {
    paths: [...byPath.keys()],
    layoutOf,
    page(path) {
      const chapter = byPath.get(path)
      if (!chapter) return undefined
      const { clean_html, headings } = render(chapter)
      const at = ordered.indexOf(chapter)
      const layout = {
        ...layoutOf(chapter),
        headings,
        above: at === -1 ? linkTo(aboveOf(byPath, chapter)) : undefined,
        previous: at === -1 ? undefined : linkTo(ordered[at - 1]),
        next: at === -1 ? undefined : linkTo(ordered[at + 1]),
      }
      return { layout, clean_html }
    },
  }
}

function linkTo(chapter: Chapter | undefined) {
  return chapter && { href: chapter.path, label: chapter.title }
}

function aboveOf(byPath: Map<string, Chapter>, { path }: Chapter): Chapter | undefined {
  return byPath.get(path.replace(/[^/]+\/$/, ''))
}

function sectionsOf(ordered: readonly Chapter[], path: string): DocsLayoutFacts['sections'] {
  const sections = Map.groupBy(ordered, ({ section }) => section)
  return [...sections].map(([title, chapters]) => ({
    title,
    links: chapters.map(({ path: href, title: label }) => ({
      href,
      label,
      current: href === path,
    })),
  }))
}
