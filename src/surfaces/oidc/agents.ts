import type { FastifyRequest } from 'fastify'
import { type Configuration, errors, type Provider } from 'oidc-provider'
import * as grants from '#domain/grants'
import { allowAgent } from '#flows/account'
import type { World } from '#flows/world'
import { deviceOf, originOf } from '#http/device'
import { formOf } from '#http/input'
import { accountActor } from '#platform/audit'
import type { Config } from '#platform/config'
import type { UserId } from '#platform/ids'
import type { Interaction } from './interaction.ts'

type Resources = NonNullable<NonNullable<Configuration['features']>['resourceIndicators']>

/** Whether a client is the one that all agents share. */
export function isAgent(client: { clientId: string } | undefined): boolean {
  return client?.clientId === grants.AGENT_CLIENT
}

/**
 * The audiences of tokens (RFC 8707): an agent's token is for the agent endpoint, with or without a
 * `resource`; an app's token has no audience. Throws `invalid_target` for any other resource.
 */
export function resourcesOf({ base_url }: Config): Resources {
  const audience = grants.agentAudience(base_url)
  return {
    enabled: true,
    defaultResource: (_ctx, client, oneOf) => (isAgent(client) ? audience : oneOf!),
    useGrantedResource: () => true,
    getResourceServerInfo(_ctx, resource, client) {
      if (!isAgent(client) || resource !== audience) throw new errors.InvalidTarget()
      return { audience, scope: grants.AGENT_SCOPES.join(' '), accessTokenFormat: 'opaque' }
    },
  }
}

/** The scopes that an agent requests; mount.ts removed all others. */
export function agentScopesOf({ params }: Interaction): grants.AgentScope[] {
  return grants.scopesForAgent(String(params.scope))
}

/**
 * Grants an agent the scopes that the person left checked. Each agent has a grant of its own,
 * independent of other agents'.
 */
export async function grantAgent(
  world: World,
  provider: Provider,
  request: FastifyRequest,
  facts: { interaction: Interaction; user_id: UserId },
): Promise<string> {
  const { interaction, user_id } = facts
  const requested = agentScopesOf(interaction)
  const form = formOf(request)
  const scopes = requested.filter((each) => !grants.isWriting(each) || form[each] !== undefined)
  const audience = grants.agentAudience(world.config.base_url)
  const grant = new provider.Grant({ accountId: user_id, clientId: grants.AGENT_CLIENT })
  grant.addResourceScope(audience, scopes)
  // Scopes that were not allowed are recorded as well, or the library would ask again.
  const refused = requested.filter((each) => !scopes.includes(each))
  if (refused.length > 0) grant.rejectResourceScope(audience, refused)
  const name = await grant.save()
  await allowAgent(world, accountActor(user_id, originOf(request)), {
    grant: name,
    scopes,
    callback: new URL(String(interaction.params.redirect_uri)).host,
    browser: deviceOf(request).browser,
  })
  return name
}
