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
 * Makes the request of an agent what the person decided (RFC 6749, 3.3): the reading that it
 * requests and the changes that were checked, requested or not. Agents that request only what the
 * endpoint's challenge names could never request more. The caller stores the interaction.
 */
export function decideScopes(request: FastifyRequest, interaction: Interaction): void {
  const form = formOf(request)
  const reading = agentScopesOf(interaction).filter((each) => !grants.isWriting(each))
  const checked = grants.AGENT_SCOPES.filter(
    (each) => grants.isWriting(each) && form[each] !== undefined,
  )
  interaction.params.scope = grants.scopesForAgent([...reading, ...checked].join(' ')).join(' ')
}

/**
 * Grants an agent the scopes that were decided. Each agent has a grant of its own, independent of
 * other agents'. Undefined if all agents were revoked at the same time.
 */
export async function grantAgent(
  world: World,
  provider: Provider,
  request: FastifyRequest,
  facts: { interaction: Interaction; user_id: UserId },
): Promise<string | undefined> {
  const { interaction, user_id } = facts
  const scopes = agentScopesOf(interaction)
  const grant = new provider.Grant({ accountId: user_id, clientId: grants.AGENT_CLIENT })
  grant.addResourceScope(grants.agentAudience(world.config.base_url), scopes)
  const name = await grant.save()
  const isAllowed = await allowAgent(world, accountActor(user_id, originOf(request)), {
    grant: name,
    scopes,
    callback: new URL(String(interaction.params.redirect_uri)).host,
    browser: deviceOf(request).browser,
  })
  return isAllowed ? name : undefined
}
