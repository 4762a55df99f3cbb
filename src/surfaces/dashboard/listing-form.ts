import type { AppListing } from '#flows/listing'
import { arranged, type Fields, type Press, pressOf, rowInFocus, rowsOf } from './rows.ts'

/** What the form of a listing's words holds; each list of names as one text. */
export type ListingForm = Record<
  'tagline' | 'description' | 'categories' | 'industries' | 'tags' | 'listing_mode',
  string
>

/** A section of the form of detail sections. */
export type SectionRow = Record<'title' | 'body', string>

/** A row of the form of the feature table. */
export interface FeatureRow {
  name: string
  description: string
  product_ids: string[]
}

/** The form that shows a listing. */
export function formOfListing(listing: AppListing): ListingForm {
  return {
    tagline: listing.tagline,
    description: listing.description,
    categories: listing.categories.join(', '),
    industries: listing.industries.join(', '),
    tags: listing.tags.join(', '),
    listing_mode: listing.listing_mode,
  }
}

/** What a browser sent as that form. */
export function readListingForm(form: Fields): ListingForm {
  return {
    tagline: form.tagline ?? '',
    description: form.description ?? '',
    categories: form.categories ?? '',
    industries: form.industries ?? '',
    tags: form.tags ?? '',
    listing_mode: form.listing_mode ?? '',
  }
}

/** The listing that a form asks for. */
export function listingOf(form: ListingForm) {
  return {
    tagline: form.tagline.trim(),
    description: form.description.trim(),
    categories: namesOf(form.categories),
    industries: namesOf(form.industries),
    tags: namesOf(form.tags),
    ...(isMode(form.listing_mode) ? { listing_mode: form.listing_mode } : {}),
  }
}

function isMode(text: string): text is AppListing['listing_mode'] {
  return text === 'marketplace' || text === 'external'
}

/** Names that are parted by commas or stand one a line, each once. */
function namesOf(text: string): string[] {
  const names = text.split(/[,\r\n]/).map((name) => name.trim())
  return [...new Set(names.filter((name) => name !== ''))]
}

/** The sections that a browser sent. */
export function readSections(form: Fields): SectionRow[] {
  return rowsOf(form, 'sections').map(({ title = '', body = '' }) => ({ title, body }))
}

/** The features that a browser sent; a plan is ticked in a field of its own. */
export function readFeatures(form: Fields): FeatureRow[] {
  return rowsOf(form, 'features').map(({ name = '', description = '', ...ticked }) => ({
    name,
    description,
    product_ids: Object.keys(ticked)
      .filter((field) => field.startsWith('in.'))
      .map((field) => field.slice('in.'.length)),
  }))
}

export const BLANK_SECTION: SectionRow = { title: '', body: '' }
export const BLANK_FEATURE: FeatureRow = { name: '', description: '', product_ids: [] }

/** The rows after what was pressed, and the row for the focus to go to; undefined: to be saved. */
export function pressed<Row>(rows: Row[], form: Fields, list: string, blank: Row) {
  const press: Press | undefined = pressOf(form.do)
  if (press?.list !== list) return undefined
  const next = arranged(rows, press, blank)
  return { rows: next, focus: rowInFocus(press, next) }
}
