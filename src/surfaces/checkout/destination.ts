import * as apps from '#domain/apps'
import * as billing from '#domain/billing'
import * as licensing from '#domain/licensing'
import type { World } from '#flows/world'
import { manageUrl } from '#http/guards/license'
import type { LicenseId, OrderId } from '#platform/ids'

const REFERENCE = 'svc_order'

/**
 * The address that a buyer returns to, with the order's reference (spec: Hosted checkout, `next`).
 * It was validated when the link was opened and is validated again here.
 */
export function returnAddress(
  { keys, clock }: World,
  app: apps.App,
  facts: { next_url: string | null; order_id: OrderId | LicenseId | undefined },
): string {
  const { next_url, order_id } = facts
  const url = next_url === null ? undefined : apps.readReturnUrl(next_url, app.url)
  const address = url?.href ?? app.oauth_login_url
  if (!order_id) return address
  const reference = licensing.signReference(keys, clock.now(), { client_id: app.id, order_id })
  return apps.withParameter(address, REFERENCE, reference)
}

/** Where the owner of a license is redirected instead of buying again (spec: rule 3). */
export async function ownerAddress(
  world: World,
  app: apps.App,
  license: licensing.License,
  next_url: string | null,
): Promise<string> {
  const route = licensing.ownerRoute(license.status)
  if (route === 'back_to_app') {
    const order_id = await billing.orderOfLicense(world.db, license.license_id)
    // What was given has no order: its reference names the license, as a preview's does.
    return returnAddress(world, app, { next_url, order_id: order_id ?? license.license_id })
  }
  return manageUrl(app.id, '', { next: next_url ?? undefined })
}
