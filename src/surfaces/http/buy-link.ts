import * as apps from '#domain/apps'
import { withQuery } from '#http/address'

/**
 * The `next` of a buy link, or null if it has none. `is_valid` is false if the app does not allow
 * it.
 */
export function readNext(
  app: Pick<apps.App, 'url'>,
  next: string | undefined,
): { next_url: string | null; is_valid: boolean } {
  if (next === undefined || next === '') return { next_url: null, is_valid: true }
  const url = apps.readReturnUrl(next, app.url)
  return { next_url: url?.href ?? null, is_valid: url !== undefined }
}

/** What a buy link says besides its price; only links of the service have `continue` and `via`. */
type BuyParameters = {
  [Name in 'next' | 'ref' | 'email' | 'discount' | 'continue' | 'via']?: string | undefined
}

/** The path of a price's hosted checkout, with the parameters that have a value. */
export function buyPath(price_id: string, parameters: BuyParameters = {}): string {
  return withQuery(`/buy/${price_id}/`, parameters)
}

/** The URL of a price's hosted checkout, with the parameters that have a value. */
export function buyUrl(base_url: string, price_id: string, parameters: BuyParameters = {}): string {
  return `${base_url}${buyPath(price_id, parameters)}`
}
