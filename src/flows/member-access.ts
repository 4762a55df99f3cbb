import * as sellers from '#domain/sellers'
import type { Db } from '#platform/db'
import type { SellerId, UserId } from '#platform/ids'
import { Problem } from '#platform/problem'

/**
 * Locks the membership of a member who makes a change, until the transaction ends. Throws
 * `not_found` if it no longer includes the permission since the request was authorized.
 */
export async function lockMember(
  tx: Db,
  member: { seller_id: SellerId; user_id: UserId },
  permission: sellers.SellerPermission,
): Promise<void> {
  await sellers.lockMemberships(tx, member.user_id)
  const found = await sellers.memberOf(tx, member)
  if (found && sellers.isAllowed(found.role, permission)) return
  throw new Problem(404, 'not_found', 'Your role at this seller has changed. Nothing was saved.')
}
