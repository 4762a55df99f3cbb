/** What decides who sees an app, and who can buy it. */
interface Visibility {
  is_published: boolean
  external_sales_enabled: boolean
  is_suspended: boolean
}

/** Whether an app is for sale: published, with external sales enabled, and not suspended. */
export function isOnSale(app: Visibility): boolean {
  return app.is_published && app.external_sales_enabled && !app.is_suspended
}

/** The path of an app's product page; undefined while it has none: unpublished, or suspended. */
export function productPath({
  slug,
  is_published,
  is_suspended,
}: Omit<Visibility, 'external_sales_enabled'> & { slug: string }): string | undefined {
  return is_published && !is_suspended ? `/apps/${slug}/` : undefined
}
