import type { AppId, UserId } from '#platform/ids'
import type { App } from './apps.ts'

/** Whether a session is of an app's registered developer, and not limited to one purchase. */
export function isSellerOf(
  app: Pick<App, 'seller_user_id'>,
  session: { user_id: UserId; app_id: AppId | null } | undefined,
): boolean {
  return session?.user_id === app.seller_user_id && session.app_id === null
}
