import * as apps from '#domain/apps'
import * as identity from '#domain/identity'
import * as sellers from '#domain/sellers'
import type { World } from '#flows/world'
import { membershipOf } from '#http/guards/seller'
import type { SessionContext } from '#http/guards/session'
import type { TaskKind } from '#http/task-kind'
import type { Task } from '#platform/tasks'

/** What a visitor may do with a task; undefined if they may not see it. */
export async function accessTo(
  world: World,
  context: SessionContext,
  { task, kind }: { task: Task; kind: TaskKind },
): Promise<{ can_stop: boolean } | undefined> {
  const isOwn = task.user_id === context.session.user_id
  const { shared } = kind
  if (!shared)
    return isOwn && (await mayStillSee(world, kind, task)) ? { can_stop: true } : undefined
  const app = task.app_id ? await apps.find(world.db, task.app_id) : undefined
  const member = app && (await membershipOf(world, context, app))
  const may = (permission: sellers.SellerPermission) =>
    member !== undefined && sellers.isAllowed(member.role, permission)
  return may(shared.view) ? { can_stop: isOwn || may(shared.stop) } : undefined
}

/** Whether the account that requested a task may still see it: its role may have changed. */
export async function mayStillSee(
  { db }: World,
  { needs, isAllowed }: TaskKind,
  task: Task,
): Promise<boolean> {
  if (needs) {
    const role = (await identity.findUser(db, task.user_id))?.staff_role
    if (!role || !identity.isPermitted(role, needs)) return false
  }
  return !isAllowed || (await isAllowed(task))
}
