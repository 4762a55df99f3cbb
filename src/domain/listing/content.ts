import type { ProductId } from '#platform/ids'
import type { FieldFault } from '#platform/problem'
import { EMPTY_TEXT, nameKey, type TextLimit, textFault, tidyText } from '#platform/text'
import { cleanHtml, countable, hasText } from './html.ts'

/** The limits of a listing (spec: Limits, Listing content limits); texts are in characters. */
export const LIMITS = {
  tagline: { most: 120 },
  description: { most: 1000, lines: true },
  sections: 4,
  section_title: { least: 1, most: 120 },
  section_body: { most: 4000, lines: true },
  features: 100,
  feature_name: { least: 1, most: 200 },
  feature_description: { most: 500, lines: true },
  names: 10,
  name: { least: 1, most: 40 },
} as const

/** A section of a product page beneath the description; its body is limited HTML. */
export interface Section {
  title: string
  body: string
}

/** A row of the feature table, with the plans that include it. */
export interface Feature {
  name: string
  description: string
  product_ids: ProductId[]
}

/** A row of the feature table as a seller submits it; a plan by its id or its older UUID. */
export interface FeatureInput extends Omit<Feature, 'product_ids'> {
  product_ids: readonly string[]
}

/** A parsed input: the value as it is stored, and every fault in it. */
export interface Read<Value> {
  value: Value
  faults: FieldFault[]
}

/** Parses a plain text. */
export function readText(path: string, text: string, limit: TextLimit): Read<string> {
  const value = tidyText(text)
  return { value, faults: faultAt(path, textFault(value, limit)) }
}

/** Parses detail sections: titles as they are, bodies sanitized. */
export function readSections(sections: readonly Section[]): Read<Section[]> {
  return readList('sections', sections, LIMITS.sections, (section, at) => {
    const title = readText(`${at}.title`, section.title, LIMITS.section_title)
    const body = readBody(`${at}.body`, section.body)
    return {
      value: { title: title.value, body: body.value },
      faults: [...title.faults, ...body.faults],
    }
  })
}

function readBody(path: string, body: string): Read<string> {
  const tidy = tidyText(body)
  const raw = textFault(countable(tidy), LIMITS.section_body)
  if (raw !== undefined) return { value: '', faults: faultAt(path, raw) }
  const value = cleanHtml(tidy)
  const fault =
    textFault(countable(value), LIMITS.section_body) ??
    (hasText(value) ? undefined : wordless(tidy))
  return { value, faults: faultAt(path, fault) }
}

function wordless(body: string): string {
  return body === '' ? EMPTY_TEXT : 'This HTML has no allowed elements.'
}

type ProductOf = (name: string) => { id: ProductId } | { message: string }

/**
 * Parses the feature table. `productOf` returns the id of one of this app's products for sale by
 * the caller's ID for it, or what is wrong with that ID.
 */
export function readFeatures(
  features: readonly FeatureInput[],
  productOf: ProductOf,
): Read<Feature[]> {
  return readList('features', features, LIMITS.features, (feature, at) => {
    const name = readText(`${at}.name`, feature.name, LIMITS.feature_name)
    const description = readText(
      `${at}.description`,
      feature.description,
      LIMITS.feature_description,
    )
    const ids = readProducts(`${at}.product_ids`, feature.product_ids, productOf)
    return {
      value: { name: name.value, description: description.value, product_ids: ids.value },
      faults: [...name.faults, ...description.faults, ...ids.faults],
    }
  })
}

function readProducts(
  path: string,
  names: readonly string[],
  productOf: ProductOf,
): Read<ProductId[]> {
  const value: ProductId[] = []
  const faults = names.flatMap((name, index) => {
    const found = productOf(name)
    if ('message' in found) return faultAt(`${path}[${index}]`, found.message)
    if (value.includes(found.id)) return faultAt(`${path}[${index}]`, 'Duplicate version.')
    value.push(found.id)
    return []
  })
  return { value, faults }
}

/** Parses a list of categories, industries or tags. */
export function readNames(path: string, names: readonly string[]): Read<string[]> {
  const seen = new Set<string>()
  return readList(path, names, LIMITS.names, (name, at) => {
    const { value, faults } = readText(at, name, LIMITS.name)
    const key = nameKey(name)
    const isTwice = seen.has(key)
    seen.add(key)
    if (!isTwice || faults.length > 0) return { value, faults }
    return { value, faults: faultAt(at, 'Duplicate name. Names are not case-sensitive.') }
  })
}

/**
 * Parses each entry of a list with a maximum length; far beyond it, the first faults are enough.
 */
function readList<Entry, Value>(
  path: string,
  list: readonly Entry[],
  most: number,
  readEntry: (entry: Entry, path: string) => Read<Value>,
): Read<Value[]> {
  const isTooLong = list.length > most
  const message = isTooLong ? `Use at most ${most} items. This list has ${list.length}.` : undefined
  const read = list
    .slice(0, most + 100)
    .map((entry, index) => readEntry(entry, `${path}[${index}]`))
  return {
    value: read.map(({ value }) => value),
    faults: [...faultAt(path, message), ...read.flatMap(({ faults }) => faults)],
  }
}

function faultAt(path: string, message: string | undefined): FieldFault[] {
  return message === undefined ? [] : [{ path, message }]
}
