import * as apps from '#domain/apps'

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

/** The URL of a price's hosted checkout, with the parameters that have a value. */
export function buyUrl(
  base_url: string,
  price_id: string,
  parameters: Partial<Record<'next' | 'ref' | 'email' | 'discount', string>> = {},
): string {
  const url = new URL(`${base_url}/buy/${price_id}/`)
  for (const [name, value] of Object.entries(parameters)) {
    if (value) url.searchParams.set(name, value)
  }
  return url.href
}
