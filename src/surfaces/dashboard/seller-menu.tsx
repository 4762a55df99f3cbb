import type { JSX } from 'preact'
import { SubNav } from '#design/navigation'

const PAGES = [
  { page: 'apps', label: 'Apps', href: '/dashboard/' },
  { page: 'overview', label: 'Overview', href: '/dashboard/overview/' },
  { page: 'team', label: 'Team', href: '/dashboard/team/' },
  { page: 'activity', label: 'Activity', href: '/dashboard/activity/' },
  { page: 'details', label: 'Details', href: '/dashboard/seller/' },
  { page: 'emails', label: 'Emails', href: '/dashboard/emails/' },
  { page: 'terms', label: 'Terms', href: '/dashboard/terms/' },
] as const

/** The menu of a seller's own pages, with the current page marked. */
export function SellerMenu({ current }: { current: (typeof PAGES)[number]['page'] }): JSX.Element {
  const links = PAGES.map(({ page, label, href }) => ({ label, href, current: page === current }))
  return <SubNav label="Seller" links={links} />
}
