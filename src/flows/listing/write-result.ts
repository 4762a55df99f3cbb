import type * as apps from '#domain/apps'
import type { Frequency } from '#platform/calendar'
import type { ChangeId, PriceId, ProductId } from '#platform/ids'
import type { FieldFault } from '#platform/problem'

/** The content of an app's listing. */
export interface AppListing {
  tagline: string
  description: string
  listing_mode: apps.ListingMode
  categories: string[]
  industries: string[]
  tags: string[]
  /** The bodies are HTML, sanitized when they are written and again when they are read. */
  sections: { title: string; body: string }[]
  features: { name: string; description: string; product_ids: ProductId[] }[]
}

/** A product of an app (a plan on pages) with its prices. */
export interface ListedVersion {
  product_public_id: ProductId
  name: string
  description: string
  is_free: boolean
  /** False if the product was deleted and is no longer sold. */
  is_active: boolean
  trial_days: number
  prices: { public_id: PriceId; amount: string; currency: 'usd'; frequency: Frequency | null }[]
}

/** An entry of the receipt that names what a change deleted. */
export interface Removed {
  kind: 'section' | 'feature' | 'version' | 'price' | 'category' | 'industry' | 'tag'
  /** Null if an entry of this kind has no id. */
  id: string | null
  name: string
}

/** One field that a change altered, before and after; its path as `sections[2].title`. */
export interface FieldChange {
  path: string
  before: unknown
  after: unknown
}

/** A change that was made, or that a dry run would make. */
export interface ListingWriteResult<State> {
  state: State
  removed: Removed[]
  /** The change's id in the log; null for a dry run, or where nothing changed. */
  change_id: ChangeId | null
  /** The prices (`prc_…`) whose buy links stop working. */
  dead_buy_links: string[]
  changed: FieldChange[]
  /** What cannot be undone. */
  warnings: string[]
}

/** Every fault; nothing was written. */
export interface RefusedWrite {
  faults: FieldFault[]
  /** The part is no longer the one that the change was reviewed against. */
  is_outdated?: true
}
