import { z } from 'zod'
import * as identity from '#domain/identity'
import { inviteByCommand } from '#flows/staff-actions'
import type { World } from '#flows/world'
import type { ControlAnswer } from '#platform/control'
import { mintSecret } from '#platform/secrets'

/** What a command needs from the world, whether or not the service is running. */
export type CommandWorld = Pick<World, 'db' | 'clock' | 'random'> & {
  config: Pick<World['config'], 'base_url'>
}

/** The request of `npm run staff:add`. */
export const StaffAdd = z.object({
  command: z.literal('staff:add'),
  email: z.string(),
  role: z.enum(identity.STAFF_ROLES),
})

/** Answers a command with what it prints: for `staff:add`, a one-time link. */
export async function answerCommand(world: CommandWorld, request: unknown): Promise<ControlAnswer> {
  const parsed = StaffAdd.safeParse(request)
  if (!parsed.success) return { fault: 'The service that runs does not know this command.' }
  const { email, role } = parsed.data
  const address = identity.readEmail(email)
  if (!address) return { fault: `${email} is not an email address such as name@example.com.` }
  const actor = { kind: 'command', request_id: 'staff:add' } as const
  const sent = await inviteByCommand(world, actor, { ...address, role })
  if (sent.outcome === 'locked') {
    return { fault: `The account of ${address.email} is locked. Staff unlocks it under Cases.` }
  }
  const token = mintSecret(world.random)
  await identity.addStaffLink(world.db, world.clock.now(), { token, invitation: sent.invitation })
  return { text: `${world.config.base_url}/link/staff/${token}` }
}
