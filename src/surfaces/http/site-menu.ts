import type { Link } from '#design/layout'

/** The menu of the public pages, with the current page marked. */
export function siteNav(current?: 'docs' | 'api' | 'sign-in' | 'agents'): Link[] {
  return [
    { label: 'Docs', href: '/docs/', current: current === 'docs' },
    { label: 'API', href: '/api/v1/docs/', current: current === 'api' },
    { label: 'Hosted sign-in', href: '/docs/sign-in/', current: current === 'sign-in' },
    { label: 'Agents', href: '/docs/agents/', current: current === 'agents' },
  ]
}
