import type { UserId } from '#platform/ids'
import type { Seller } from './fixture.ts'

/** The request of every simulated action. */
export const REQUEST = 'req_simulated'

/** A seller, by its owner. */
export const actingSeller = ({ seller_id, seller_user_id: user_id }: Seller) =>
  ({ kind: 'seller', user_id, seller_id, request_id: REQUEST }) as const

/** A member of staff. */
export const actingStaff = (user_id: UserId) =>
  ({ kind: 'staff', user_id, request_id: REQUEST }) as const
