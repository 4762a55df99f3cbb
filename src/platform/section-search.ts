import MiniSearch, { type Options, type SearchOptions } from 'minisearch'

/** A section of a page, as the search finds it. */
export interface FoundSection {
  /** The path of its page, with its anchor. */
  path: string
  page: string
  heading: string
  /** The beginning of its text. */
  excerpt: string
}

/** A section to be found, with all of its text. */
export interface SearchableSection extends FoundSection {
  text: string
}

/** The same on the server and in the browser, so that both rank alike. */
const OPTIONS: Options<SearchableSection> = {
  idField: 'path',
  fields: ['heading', 'page', 'text'],
  storeFields: ['path', 'page', 'heading', 'excerpt'],
}

const SEARCH: SearchOptions = {
  boost: { heading: 4, page: 3 },
  combineWith: 'AND',
  prefix: (term) => term.length > 1,
  fuzzy: (term) => (term.length > 4 ? 0.2 : false),
  boostDocument: (_path, term, stored) => titleBoost(stored as unknown as FoundSection, term),
}

/**
 * The weight of a word in a section: twice at the start of a page that has it in its title. A title
 * that is a code, such as `unknown_license`, has it only where a query has all of its words.
 */
function titleBoost({ path, page }: FoundSection, term: string): number {
  if (path.includes('#')) return 1
  if (page.includes('_')) return 0.5
  return page.toLowerCase().includes(term) ? 2 : 1
}

const MAX_RESULTS = 12

/** An index of sections, as JSON text. */
export function indexOf(sections: Iterable<SearchableSection>): string {
  const index = new MiniSearch(OPTIONS)
  for (const section of sections) index.add(section)
  return JSON.stringify(index)
}

/**
 * The sections of an index that match all words of a query, best first; those that match some of
 * them, where none has all.
 */
export function searcherOf(index: string): (query: string) => FoundSection[] {
  const search = MiniSearch.loadJSON(index, OPTIONS)
  return (query) => {
    const words = query.slice(0, 200)
    const all = search.search(words, SEARCH)
    const found = all.length > 0 ? all : search.search(words, { ...SEARCH, combineWith: 'OR' })
    return found.slice(0, MAX_RESULTS) as unknown as FoundSection[]
  }
}
