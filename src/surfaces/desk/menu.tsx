import type { JSX } from 'preact'
import { SubNav } from '#design/navigation'

const PAGES = [
  { page: 'cases', label: 'Cases', href: '/desk/' },
  { page: 'tax', label: 'Sales tax', href: '/desk/tax/' },
  { page: 'checks', label: 'Checks', href: '/desk/checks/' },
] as const

/** The pages of the desk, with the present one marked. */
export function DeskMenu({ current }: { current: (typeof PAGES)[number]['page'] }): JSX.Element {
  const links = PAGES.map(({ page, ...link }) => ({ ...link, current: page === current }))
  return <SubNav label="Desk" links={links} />
}
