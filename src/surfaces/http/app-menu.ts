import type { Link } from '#design/layout'

/** The pages of an app, in menu order. */
const APP_PAGES = [
  'overview',
  'plans',
  'discounts',
  'listing',
  'sales',
  'customers',
  'affiliates',
  'integration',
  'changes',
  'test-clock',
  'settings',
] as const
export type AppPageName = (typeof APP_PAGES)[number]

const LABELS: Record<AppPageName, string> = {
  overview: 'Overview',
  plans: 'Plans',
  discounts: 'Discounts',
  listing: 'Listing',
  sales: 'Sales',
  customers: 'Customers',
  affiliates: 'Affiliates',
  integration: 'Integration',
  changes: 'Changes',
  'test-clock': 'Test clock',
  settings: 'Settings',
}

/** The address of a page of an app. */
export function addressOf(slug: string, page: AppPageName): string {
  const base = `/dashboard/apps/${slug}/`
  return page === 'overview' ? base : `${base}${page}/`
}

/** The menu of an app with the current page marked; the test clock only appears in test mode. */
export function appMenu(
  slug: string,
  current: AppPageName,
  { has_clock }: { has_clock: boolean },
): Link[] {
  const pages = APP_PAGES.filter((page) => has_clock || page !== 'test-clock')
  return pages.map((page) => ({
    label: LABELS[page],
    href: addressOf(slug, page),
    current: page === current,
  }))
}
