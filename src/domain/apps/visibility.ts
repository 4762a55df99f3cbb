/** What decides who sees an app and its prices. */
interface Visibility {
  is_published: boolean
  external_sales_enabled: boolean
  is_suspended: boolean
}

/**
 * Whether everyone can read an app's prices: published, with external sales enabled. They stay
 * public while the app is suspended, because its customers keep their licenses (decision 102).
 */
export function hasPublicPrices(app: Omit<Visibility, 'is_suspended'>): boolean {
  return app.is_published && app.external_sales_enabled
}

/** The path of an app's product page; undefined while it has none: unpublished, or suspended. */
export function productPath({
  slug,
  is_published,
  is_suspended,
}: Omit<Visibility, 'external_sales_enabled'> & { slug: string }): string | undefined {
  return is_published && !is_suspended ? `/apps/${slug}/` : undefined
}

/** Whether an app is suspended because its seller is, and has no suspension of its own. */
export function isSuspendedWithSeller({
  is_suspended,
  suspended_at,
}: Pick<Visibility, 'is_suspended'> & { suspended_at: Date | null }): boolean {
  return is_suspended && suspended_at === null
}
