import type { FastifyRequest } from 'fastify'
import * as apps from '#domain/apps'
import * as listing from '#domain/listing'
import type { World } from '#flows/world'
import { queryOf } from '#http/input'
import { pagingOf } from '#http/pagination'
import { nameKey, tidyText } from '#platform/text'
import type { AppResults } from './home-page.tsx'

const APPS_A_PAGE = 24
const MAX_CATEGORIES = 20
const MAX_WORDS_LENGTH = 100

/** The apps that match a visitor's search or category, with links to further pages of them. */
export async function findApps({ db }: World, request: FastifyRequest): Promise<AppResults> {
  const words = tidyText(queryOf(request, 'q') ?? '').slice(0, MAX_WORDS_LENGTH)
  const most_used = await listing.usedCategories(db, MAX_CATEGORIES)
  const wanted = nameKey(queryOf(request, 'category') ?? '')
  const listed = most_used.find(({ key }) => key === wanted)
  // A product page links to each of its app's categories.
  const chosen = listed ?? (wanted ? await listing.usedCategory(db, wanted) : undefined)
  const categories = chosen && !listed ? [...most_used, chosen] : most_used
  const search = { words: words || undefined, category: chosen?.key }
  const total = await listing.countApps(db, search)
  const paging = pagingOf(request, { total, size: APPS_A_PAGE })
  const found = await listing.searchApps(db, search, paging)
  return {
    words,
    category: chosen?.name,
    cards: found.map(({ name, tagline, slug, url, listing_mode, icon_id }) => ({
      name,
      tagline,
      icon: apps.iconPath({ icon_id }),
      href: listing_mode === 'external' ? url : `/apps/${slug}/`,
    })),
    filters: categories.map(({ key, name }) => ({
      label: name,
      href: searchPath({ category: name }),
      current: key === chosen?.key,
    })),
    paging,
    hrefOf: (page) => searchPath({ q: words, category: chosen?.name, page: String(page) }),
  }
}

/** The address of a search on the home page. */
export function searchPath(query: Record<string, string | undefined>): string {
  const given = Object.entries(query).filter((pair): pair is [string, string] => !!pair[1])
  return `/?${new URLSearchParams(given)}#apps`
}
