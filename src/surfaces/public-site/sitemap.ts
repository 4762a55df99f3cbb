import * as apps from '#domain/apps'
import type { World } from '#flows/world'
import { LEGAL_PAGES } from '#http/legal-texts'
import { escapeMarkup } from '#platform/text'

/** The maximum number of URLs in one file (the sitemap protocol allows 50,000 and 50 MB). */
const MAX_ADDRESSES = 50_000
const FRESH_MS = 10 * 60_000
const MAX_FILES_KEPT = 4

/** The public pages that are no product pages. */
const FIXED = ['/', '/api/v1/docs/', '/changelog/', '/status/', ...Object.values(LEGAL_PAGES)]

/** The sitemap files: one, or an index of several with at most `most` addresses each. */
export function openSitemaps(world: World, docs: readonly string[], most = MAX_ADDRESSES) {
  const pages = [...FIXED, ...docs]
  const { db, config, clock } = world
  const kept = new Map<number, { text: Promise<string | undefined>; made_at: number }>()

  const addressesOf = async (page: number): Promise<string[]> => {
    // The other pages come first, and so shift the product pages of the first file.
    const first = page === 1 ? pages : []
    const offset = Math.max(0, (page - 1) * most - pages.length)
    const slugs = await apps.listedSlugs(db, { offset, limit: most - first.length })
    return [...first, ...slugs.map((slug) => `/apps/${slug}/`)]
  }

  const write = async (page: number): Promise<string | undefined> => {
    if (config.live_url) return page === 0 ? fileOf(config.base_url, []) : undefined
    const count = pages.length + (await apps.countListed(db))
    const files = Math.ceil(count / most)
    if (page === 0 && files > 1) return indexOf(config.base_url, files)
    const number = Math.max(1, page)
    return number > files ? undefined : fileOf(config.base_url, await addressesOf(number))
  }

  /** Counting and reading many apps takes a moment, so a file is made at most every ten minutes. */
  const read = (page: number): Promise<string | undefined> => {
    const made_at = clock.now().getTime()
    const known = kept.get(page)
    const age = known && made_at - known.made_at
    if (known && age !== undefined && age >= 0 && age < FRESH_MS) return known.text
    const text = write(page)
    text.catch(() => kept.delete(page))
    kept.delete(page)
    if (kept.size >= MAX_FILES_KEPT) kept.delete(kept.keys().next().value!)
    kept.set(page, { text, made_at })
    return text
  }

  return {
    /** The only file, or the index of all. */
    first: async () => (await read(0))!,
    /** One file of several, counted from 1; undefined if there are not so many. */
    page: async (page: number) => (page < 1 ? undefined : await read(page)),
  }
}

const HEAD = '<?xml version="1.0" encoding="UTF-8"?>'
const SCHEMA = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"'

function fileOf(base_url: string, paths: string[]): string {
  const rows = paths.map((path) => `<url><loc>${escapeMarkup(base_url + path)}</loc></url>`)
  return [HEAD, `<urlset ${SCHEMA}>`, ...rows, '</urlset>', ''].join('\n')
}

function indexOf(base_url: string, files: number): string {
  const rows = Array.from(
    { length: files },
    (_, index) =>
      `<sitemap><loc>${escapeMarkup(`${base_url}/sitemaps/${index + 1}.xml`)}</loc></sitemap>`,
  )
  return [HEAD, `<sitemapindex ${SCHEMA}>`, ...rows, '</sitemapindex>', ''].join('\n')
}
