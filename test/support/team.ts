import assert from 'node:assert/strict'
import * as identity from '#domain/identity'
import type { InvitedRole } from '#domain/sellers'
import type { UserId } from '#platform/ids'
import { signUp } from './account.ts'
import type { Agent } from './agent.ts'
import type { TestService } from './service.ts'

export const TEAM = '/dashboard/team/'

/** Invites an email to the seller whose owner is signed in. */
export async function invite(owner: Agent, email: string, role: InvitedRole): Promise<void> {
  await owner.open(TEAM)
  await owner.submit('Send invitation', { email, role })
  assert.match(owner.text, /Invitation sent\./)
}

/** The account of an email. */
export async function idOf({ world }: TestService, email: string): Promise<UserId> {
  return (await identity.findByEmail(world.db, email))!.id
}

/** A new member of the owner's seller, with their browser and their page in the team. */
export async function join(
  { service, owner }: { service: TestService; owner: Agent },
  role: InvitedRole,
): Promise<{ agent: Agent; email: string; page: string; user_id: UserId }> {
  const { email, agent } = await signUp(service)
  await invite(owner, email, role)
  await agent.open('/dashboard/invitations/')
  await agent.submit('Join')
  const user_id = await idOf(service, email)
  return { agent, email, user_id, page: `${TEAM}${user_id}/` }
}
