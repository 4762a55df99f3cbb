import * as grants from '#domain/grants'
import type { World } from '#flows/world'
import type { ActorOf } from '#platform/audit'
import { type AgentId, mintId } from '#platform/ids'
import { auditAndNotify, auditChange } from './audit.ts'

/**
 * Records that a seller allowed an agent to manage their apps, and notifies their mailbox. False if
 * its grant was revoked since it was stored.
 */
export async function allowAgent(
  world: World,
  owner: ActorOf<'account'>,
  agent: {
    grant: string
    scopes: readonly grants.AgentScope[]
    callback: string
    browser: string
  },
): Promise<boolean> {
  const { db, clock, random } = world
  const { user_id } = owner
  const id = mintId(random, 'agt')
  const now = clock.now()
  const detail = { agent_id: id, scopes: agent.scopes.join(' '), name: agent.callback }
  return await db.tx(async (tx) => {
    if (!(await grants.addAgent(tx, now, { ...agent, id, user_id }))) return false
    await auditAndNotify(world, tx, now, { owner, what: 'agent_allowed', detail })
    return true
  })
}

/** Revokes the access of one agent: its next call is refused. */
export async function disconnectAgent(
  { db, clock }: World,
  owner: ActorOf<'account'>,
  agent_id: AgentId,
): Promise<void> {
  const { user_id } = owner
  await db.tx(async (tx) => {
    if (!(await grants.revokeAgent(tx, { user_id, id: agent_id }))) return
    await auditChange(tx, clock.now(), owner, 'agent_disconnected', { agent_id })
  })
}

/** Revokes the consent given to an app, and with it every token of the app. */
export async function disconnectApp(
  { db, clock }: World,
  owner: ActorOf<'account'>,
  client_id: string,
): Promise<void> {
  const party = { user_id: owner.user_id, client_id }
  const now = clock.now()
  await db.tx(async (tx) => {
    const connected = await grants.listApps(tx, now, owner.user_id)
    if (!connected.some((app) => app.client_id === client_id)) return
    await grants.withdrawConsent(tx, now, party)
    await grants.revokeApp(tx, party)
    await auditChange(tx, now, owner, 'app_disconnected', { client_id })
  })
}
