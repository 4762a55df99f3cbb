/** Where an account's pages lead to, with the present one marked. */
export function accountNav(current: 'purchases' | 'security') {
  return [
    { label: 'Purchases', href: '/account/', current: current === 'purchases' },
    { label: 'Security', href: '/account/security/', current: current === 'security' },
  ]
}
