import type { Link } from '#design/layout'
import * as apps from '#domain/apps'
import type { World } from '#flows/world'

/** Where the pages of an account lead to, with the present one marked; sellers have their apps too. */
export async function accountNav(
  { db }: World,
  user_id: string,
  current: 'purchases' | 'apps' | 'connections' | 'security',
): Promise<Link[]> {
  const sells = current === 'apps' || (await apps.sellerOf(db, user_id)) !== undefined
  return [
    { label: 'Purchases', href: '/account/', current: current === 'purchases' },
    ...(sells ? [{ label: 'Your apps', href: '/dashboard/', current: current === 'apps' }] : []),
    {
      label: 'Connections',
      href: '/account/connections/',
      current: current === 'connections',
    },
    { label: 'Security', href: '/account/security/', current: current === 'security' },
  ]
}
