import type { FormFault } from '#http/form-errors'
import { capitalized } from '#platform/text'

const ROWS: Record<string, string> = {
  sections: 'section',
  features: 'feature',
  versions: 'plan',
  prices: 'price',
  product_ids: 'plan',
}

const FIELDS: Record<string, string> = {
  body: 'text',
  listing_mode: 'listing mode',
  legal_name: 'legal name',
  trial_days: 'free trial',
  is_free: 'free plan',
  frequency: 'billing',
  valid_from: 'first day',
  valid_until: 'last day',
  max_uses: 'maximum uses',
}
const OF_LISTING = ['tagline', 'description', 'categories', 'industries', 'tags', 'listing_mode']
const OF_SELLER = ['legal_name', 'address', 'city']
const OF_APP = ['name']
const OF_DISCOUNT = ['code', 'amount', 'periods', 'valid_from', 'valid_until', 'max_uses']
const OF_ACTIONS = ['reason', 'reference']
/** The fields of forms without rows whose errors do not name them. */
const ALONE = new Set([...OF_LISTING, ...OF_DISCOUNT, ...OF_SELLER, ...OF_APP, ...OF_ACTIONS])

/**
 * The label of a field: `sections.2.title` is "Section 3, title". Empty for whole lists, and for
 * fields whose errors name them.
 */
export function placeOf(id: string): string {
  if (!id.includes('.') && !ALONE.has(id)) return ''
  const intro = id.split('.').flatMap((part, at, parts) => {
    if (/^\d+$/.test(part)) return []
    const index = parts[at + 1]
    if (index !== undefined && /^\d+$/.test(index)) {
      return [`${ROWS[part] ?? part} ${Number(index) + 1}`]
    }
    return part in ROWS ? [] : [FIELDS[part] ?? part]
  })
  const place = intro.join(', ')
  return capitalized(place)
}

/** An error for the summary above a form; some messages need the name of their field. */
export function placed({ id, message }: FormFault): FormFault {
  const place = placeOf(id)
  return { id, message: place === '' ? message : `${place}: ${message}` }
}
