import type { ComparisonRow } from '#design/comparison'
import { formatMoney } from '#design/money'
import * as listing from '#domain/listing'
import type { ListedVersion } from '#flows/listing'
import type { ProductId } from '#platform/ids'
import { parseAmount } from '#platform/money'
import { counted } from '#platform/text'

/** The part of an app that a change affected: one or more fields. */
export type Part = Record<string, unknown>

/** A comparable item of a part: its key, label and text. */
type ComparedLine = [key: string, what: string, text: string]

const LABELS: Record<string, string> = {
  tagline: 'Tagline',
  description: 'Description',
  listing_mode: 'Listing mode',
  categories: 'Categories',
  industries: 'Industries',
  tags: 'Tags',
  oauth_login_url: 'Login URL',
  redirect_uris: 'Redirect URIs',
  post_logout_redirect_uris: 'Post-logout redirect URIs',
}

const PRICES: Record<string, string> = {
  day: 'daily price',
  week: 'weekly price',
  month: 'monthly price',
  year: 'yearly price',
  once: 'one-time price',
}

/**
 * The items in which two states of a part differ. `plan_names` has the names of plans by ID, for
 * plans that neither state contains.
 */
export function compare(
  before: Part,
  after: Part,
  plan_names: ReadonlyMap<string, string>,
): ComparisonRow[] {
  const names = new Map(plan_names)
  for (const part of [before, after]) {
    for (const { product_public_id, name } of versionsIn(part)) names.set(product_public_id, name)
  }
  const was = linesOf(before, names)
  const is = linesOf(after, names)
  const old = new Map(was.map(([key, , text]) => [key, text]))
  const fresh = new Map(is.map(([key, , text]) => [key, text]))
  const whats = new Map([...was, ...is].map(([key, what]) => [key, what]))
  return [...whats].flatMap(([key, what]) => {
    const sides = { before: old.get(key) ?? null, after: fresh.get(key) ?? null }
    // An added or removed plan is already listed with all plans, so its name is not repeated.
    const repeats = key.endsWith(' name') && (sides.before === null || sides.after === null)
    return repeats || sides.before === sides.after ? [] : [{ what, ...sides }]
  })
}

function versionsIn(part: Part): ListedVersion[] {
  return (part.versions as ListedVersion[] | undefined) ?? []
}

function linesOf(part: Part, names: ReadonlyMap<string, string>): ComparedLine[] {
  const plan = names.get(String(part.product_public_id))
  const plans = versionsIn(part)
  const lines: ComparedLine[] = [
    ...Object.entries(LABELS).map(([field, label]): ComparedLine => {
      const what = plan === undefined ? label : `${plan}, ${label.toLowerCase()}`
      return [field, what, textOf(part[field])]
    }),
    ...sectionLines((part.sections as ComparedSection[] | undefined) ?? []),
    ...featureLines((part.features as ComparedFeature[] | undefined) ?? [], names),
    ['plans', 'Plans, in order', plans.map(({ name }) => name).join(', ')],
    ...plans.flatMap((each) => planLines(each, names)),
  ]
  return lines.filter(([, , text]) => text !== '')
}

function textOf(value: unknown): string {
  return Array.isArray(value) ? value.join('\n') : String(value ?? '')
}

interface ComparedSection {
  title: string
  body: string
}

function sectionLines(sections: ComparedSection[]): ComparedLine[] {
  return [
    ['sections', 'Sections, in order', sections.map(({ title }) => title).join(', ')],
    ...numbered(sections, ({ title }) => title).map(([key, what, { body }]): ComparedLine => {
      return [`section ${key}`, `Section “${what}”`, listing.asWritten(body)]
    }),
  ]
}

interface ComparedFeature {
  name: string
  description: string
  product_ids: ProductId[]
}

function featureLines(
  features: ComparedFeature[],
  names: ReadonlyMap<string, string>,
): ComparedLine[] {
  return [
    ['features', 'Features, in order', features.map(({ name }) => name).join(', ')],
    ...numbered(features, ({ name }) => name).map(([key, what, feature]): ComparedLine => {
      const plans = feature.product_ids.map((id) => names.get(id) ?? 'a removed plan')
      const has = plans.length > 0 ? `In ${plans.join(', ')}` : 'In no plan'
      const text = [feature.description, has].filter((line) => line !== '').join('\n')
      return [`feature ${key}`, `Feature “${what}”`, text]
    }),
  ]
}

/** Items by name; a repeated name gets a number. */
function numbered<Thing>(things: Thing[], nameOf: (thing: Thing) => string) {
  const seen = new Map<string, number>()
  return things.map((thing): [key: string, name: string, thing: Thing] => {
    const name = nameOf(thing)
    const count = (seen.get(name) ?? 0) + 1
    seen.set(name, count)
    return count === 1 ? [name, name, thing] : [`${name} ${count}`, `${name} (${count})`, thing]
  })
}

function planLines(plan: ListedVersion, names: ReadonlyMap<string, string>): ComparedLine[] {
  const id = plan.product_public_id
  const name = names.get(id) ?? plan.name
  const trial = plan.trial_days > 0 ? counted(plan.trial_days, 'day') : ''
  return [
    [`${id} name`, `${name}, name`, plan.name],
    [`${id} free`, `${name}, free plan`, plan.is_free ? 'Yes' : ''],
    [`${id} trial`, `${name}, trial`, trial],
    ...plan.prices.map(({ amount, frequency }): ComparedLine => {
      const paid = frequency ?? 'once'
      return [`${id} ${paid}`, `${name}, ${PRICES[paid]}`, formatMoney(parseAmount(amount)!)]
    }),
    [`${id} description`, `${name}, description`, plan.description],
  ]
}
