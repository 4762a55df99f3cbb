import { setImmediate } from 'node:timers/promises'
import { indexOf, type SearchableSection, searcherOf } from '#platform/section-search'
import type { DocsLibrary, DocsPageFacts } from './library.ts'
import { plain } from './markdown.ts'

const EXCERPT_LENGTH = 160

/** The search of the documentation: its index for browsers, and the same search on the server. */
export interface DocsSearch {
  index: string
  search: ReturnType<typeof searcherOf>
}

/**
 * Opens the search over every section of every page. Rendering all pages takes a moment, so other
 * requests are answered between them.
 */
export async function openSearch(library: DocsLibrary): Promise<DocsSearch> {
  const sections: SearchableSection[] = []
  for (const path of library.paths) {
    sections.push(...sectionsOf(library.page(path)!))
    await setImmediate()
  }
  const index = indexOf(sections)
  return { index, search: searcherOf(index) }
}

/** The sections of a page: what precedes its first heading, and one for each heading. */
function sectionsOf({ layout, clean_html }: DocsPageFacts): SearchableSection[] {
  const { path, title, description } = layout
  const [intro = '', ...parts] = clean_html.split(/(?=<h[23] id=")/)
  const first = `${description} ${plain(intro)}`
  return [
    sectionOf(path, title, title, first),
    ...parts.map((html) => {
      const [heading = '', id = ''] = /^<h[23] id="([^"]+)">[\s\S]*?<\/h[23]>/.exec(html) ?? []
      return sectionOf(`${path}#${id}`, title, plain(heading), plain(html.slice(heading.length)))
    }),
  ]
}

function sectionOf(path: string, page: string, heading: string, text: string): SearchableSection {
  const excerpt = text.length > EXCERPT_LENGTH ? `${text.slice(0, EXCERPT_LENGTH)}…` : text
  return { path, page, heading, text, excerpt }
}
