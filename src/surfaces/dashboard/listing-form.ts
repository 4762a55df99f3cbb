import type { AppListing } from '#flows/listing'
import type { FormFault } from '#http/form-errors'
import type { FieldFault } from '#platform/problem'
import { recordFrom } from '#platform/record'
import { fieldOf } from './integration.ts'
import {
  applyRowAction,
  type Fields,
  formFaults,
  type RowAction,
  readRowAction,
  rowInFocus,
  rowsOf,
} from './rows.ts'

/** The form of a listing's texts; lists of names are one text. */
export type ListingForm = Record<
  'tagline' | 'description' | 'categories' | 'industries' | 'tags' | 'listing_mode',
  string
>

/** A section in the form of detail sections. */
export type SectionRow = Record<'title' | 'body', string>

/** A row in the form of the feature table. */
export interface FeatureRow {
  name: string
  description: string
  product_ids: string[]
}

/** The form for a listing. */
export function formOfListing(listing: AppListing): ListingForm {
  return {
    tagline: listing.tagline,
    description: listing.description,
    categories: textOfNames(listing.categories),
    industries: textOfNames(listing.industries),
    tags: textOfNames(listing.tags),
    listing_mode: listing.listing_mode,
  }
}

const FIELDS = [
  'tagline',
  'description',
  'categories',
  'industries',
  'tags',
  'listing_mode',
] as const satisfies (keyof ListingForm)[]

/** Reads the posted form of a listing, or what was saved when it was opened, by its prefix. */
export function readListingForm(form: Fields, prefix = ''): ListingForm {
  return recordFrom(FIELDS, (name) => form[`${prefix}${name}`] ?? '')
}

/** The listing in a form. */
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

/**
 * The errors of the form. A list of names is one field, so an error of a name quotes the name.
 */
export function faultsOfListing(
  faults: readonly FieldFault[],
  listing: ReturnType<typeof listingOf>,
): FormFault[] {
  return faults.flatMap((fault) => {
    const [, list, index] = /^(categories|industries|tags)\[(\d+)\]$/.exec(fault.path) ?? []
    const name = listing[list as 'categories' | 'industries' | 'tags']?.[Number(index)]
    return formFaults([fault], fieldOf).map(({ id, message }) => ({
      id,
      message: name === undefined ? message : `“${startOf(name)}”: ${message}`,
    }))
  })
}

/** Enough of a name to find it in its field. */
function startOf(name: string): string {
  return name.length > 40 ? `${name.slice(0, 39).trimEnd()}…` : name
}

function isMode(text: string): text is AppListing['listing_mode'] {
  return text === 'marketplace' || text === 'external'
}

const NAME = /[^\S\r\n]*"((?:[^"\r\n]|"")*)"[^\S\r\n]*(?=[,\r\n]|$)|[^,\r\n]+/g

/** Names as one text, separated by commas. One with a comma, from an agent, is quoted as in CSV. */
function textOfNames(names: readonly string[]): string {
  const quoted = (name: string) => `"${name.replaceAll('"', '""')}"`
  return names.map((name) => (/,|^"/.test(name) ? quoted(name) : name)).join(', ')
}

/** Names separated by commas or line breaks, without repetition. */
function namesOf(text: string): string[] {
  const names = Array.from(text.matchAll(NAME), ([plain, quoted]) =>
    (quoted?.replaceAll('""', '"') ?? plain).trim(),
  )
  return [...new Set(names.filter((name) => name !== ''))]
}

/** Reads the posted sections. */
export function readSections(form: Fields): SectionRow[] {
  return rowsOf(form, 'sections').map(({ title = '', body = '' }) => ({ title, body }))
}

/** Reads the posted features; each plan has a checkbox of its own. */
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

/**
 * The rows after the pressed row action, and the row to focus; undefined if another button, such
 * as Save, was pressed.
 */
export function rowsAfterAction<Row>(rows: Row[], form: Fields, list: string, blank: Row) {
  const action: RowAction | undefined = readRowAction(form.do)
  if (action?.list !== list) return undefined
  const next = applyRowAction(rows, action, blank)
  return { rows: next, focus: rowInFocus(action, next) }
}
