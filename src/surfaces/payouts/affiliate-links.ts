import type { FastifyRequest } from 'fastify'
import * as affiliates from '#domain/affiliates'
import * as apps from '#domain/apps'
import * as catalog from '#domain/catalog'
import * as listing from '#domain/listing'
import type { World } from '#flows/world'
import { buyUrl } from '#http/buy-link'
import { figuresCursorText, readFiguresCursor } from '#http/figures-cursor'
import { PAYEE_PAGES } from '#http/guards/payee'
import { queryOf } from '#http/input'
import type { AppLinks, ReferredFacts } from './affiliate-apps.tsx'

const { home: HOME } = PAYEE_PAGES.affiliate
const APPS_A_PAGE = 20
const FOUND = 8
const MAX_WORDS_LENGTH = 100

/** An affiliate's referrals by app, and the links of the app in `?app=`. */
export async function referredFacts(
  { db, config }: World,
  request: FastifyRequest,
  { id: affiliate_id, code }: affiliates.Affiliate,
): Promise<ReferredFacts> {
  const after = readFiguresCursor(queryOf(request, 'below'))
  const query = { affiliate_id, after, limit: APPS_A_PAGE + 1 }
  const { totals, apps: found } = await affiliates.appsOfAffiliate(db, query)
  const rows = found.slice(0, APPS_A_PAGE)
  const last = rows.at(-1)
  const words = (queryOf(request, 'q') ?? '').replaceAll('\0', '').trim().slice(0, MAX_WORDS_LENGTH)
  const page = { limit: FOUND + 1, offset: 0 }
  const matching = words ? await listing.searchApps(db, { words }, page) : []
  const below = last && figuresCursorText({ amount: last.commission, id: last.app_id ?? '' })
  return {
    home: HOME,
    totals,
    rows,
    older: found.length > APPS_A_PAGE ? `${HOME}?below=${below}#apps` : undefined,
    latest: after ? `${HOME}#apps` : undefined,
    words,
    results: matching.slice(0, FOUND),
    has_more_results: matching.length > FOUND,
    chosen: await linksOf(db, config.base_url, { slug: queryOf(request, 'app'), code }),
  }
}

/** The links of a published app with an affiliate's code. */
async function linksOf(
  db: World['db'],
  base_url: string,
  { slug, code }: { slug: string | undefined; code: string },
): Promise<AppLinks | undefined> {
  if (slug === undefined || slug.includes('\0')) return undefined
  const app = await apps.findPublishedBySlug(db, slug)
  if (!app) return undefined
  const prices = app.external_sales_enabled ? await catalog.livePrices(db, app.id) : []
  return {
    name: app.name,
    product_url: `${base_url}/apps/${app.slug}/?ref=${code}`,
    buy_links: prices.map(({ id, product_name, amount, frequency }) => ({
      id,
      plan: product_name,
      amount,
      frequency,
      url: buyUrl(base_url, id, { ref: code }),
    })),
  }
}
