import type { JSX } from 'preact'
import { SubNav } from '#design/navigation'

const PAGES = [
  { page: 'cases', label: 'Cases', href: '/admin/' },
  { page: 'tax', label: 'Sales tax', href: '/admin/tax/' },
  { page: 'checks', label: 'Checks', href: '/admin/checks/' },
] as const

/** The menu of the admin area, with the current page marked. */
export function AdminMenu({ current }: { current: (typeof PAGES)[number]['page'] }): JSX.Element {
  const links = PAGES.map(({ page, ...link }) => ({ ...link, current: page === current }))
  return <SubNav label="Admin" links={links} />
}
