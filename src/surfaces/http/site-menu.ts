import type { Link } from '#design/layout'

/** Where the public pages lead to, with the present one marked. */
export function siteNav(current?: 'api' | 'sign-in' | 'agents'): Link[] {
  return [
    { label: 'API', href: '/api/v1/docs/', current: current === 'api' },
    { label: 'Sign-in', href: '/docs/sign-in/', current: current === 'sign-in' },
    { label: 'Agents', href: '/docs/agents/', current: current === 'agents' },
  ]
}
