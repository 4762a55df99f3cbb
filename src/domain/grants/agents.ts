import type { Db } from '#platform/db'
import type { AgentId, UserId } from '#platform/ids'
import { sha256 } from '#platform/secrets'
import { sql } from '#platform/sql'
import { AGENT_CLIENT, type AgentScope } from './agent.ts'
import { revokeApp } from './records.ts'

/** An agent that is allowed to manage a person's apps, as it is listed for them. */
export interface AgentGrant {
  id: AgentId
  scopes: AgentScope[]
  /** Host and port at which the agent listened, on its own computer. */
  callback: string
  /** The browser in which it was allowed. */
  browser: string
  granted_at: Date
  /** When it last got a token. */
  renewed_at: Date
  /** When its access ends unless it is renewed. */
  expires_at: Date
}

/**
 * Records what an agent was allowed; `grant` is the name of the grant record that it belongs to.
 * False if that record was revoked since it was stored, as by a sign-out in another browser.
 */
export async function addAgent(
  db: Db,
  now: Date,
  facts: Pick<AgentGrant, 'id' | 'callback' | 'browser'> & {
    grant: string
    user_id: UserId
    scopes: readonly AgentScope[]
  },
): Promise<boolean> {
  const added = await db.run(sql`insert into agent_grants
      (id, grant_id, user_id, scopes, callback, browser, granted_at)
    select ${facts.id}, id, ${facts.user_id}, ${[...facts.scopes]}, ${facts.callback},
      ${facts.browser}, ${now}
    from oidc_records where id = ${sha256(facts.grant)} for key share`)
  return added === 1
}

/** The agents that have access to a person's apps now, the one allowed last first. */
export async function listAgents(db: Db, now: Date, user_id: UserId): Promise<AgentGrant[]> {
  return await db.rows<AgentGrant>(sql`
    select a.id, a.scopes, a.callback, a.browser, a.granted_at,
      max(t.created_at) as renewed_at, max(t.expires_at) as expires_at
    from agent_grants a join oidc_records t on t.grant_id = a.grant_id
      and t.kind in ('AccessToken', 'RefreshToken')
      and t.consumed_at is null and t.expires_at > ${now}
    where a.user_id = ${user_id}
    group by a.id order by a.granted_at desc, a.id`)
}

/** Ends the access of one agent; false if the person allowed no such agent. */
export async function revokeAgent(
  db: Db,
  agent: { user_id: UserId; id: AgentId },
): Promise<boolean> {
  const ended = await db.run(sql`delete from oidc_records
    where id = (select grant_id from agent_grants
      where id = ${agent.id} and user_id = ${agent.user_id})`)
  return ended === 1
}

/** Ends the access of every agent that a person allowed (spec: Sign-in rules, 9). */
export async function revokeAgents(db: Db, user_id: UserId): Promise<void> {
  await revokeApp(db, { client_id: AGENT_CLIENT, user_id })
}
