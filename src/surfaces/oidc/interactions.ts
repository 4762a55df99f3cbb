import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Client, Provider } from 'oidc-provider'
import * as apps from '#domain/apps'
import * as grants from '#domain/grants'
import { isRecent, type Session } from '#domain/identity'
import type { World } from '#flows/world'
import { carry } from '#http/app-request'
import { csrfToken } from '#http/form-token'
import { requireRecentProof, type SessionContext } from '#http/guards/session'
import { paramsOf } from '#http/input'
import { redirectTo, sendPage } from '#http/pages'
import { redirectAfterForm, signInUrl } from '#http/redirect'
import { currentSession } from '#http/session'
import type { UserId } from '#platform/ids'
import { localeOf } from '#platform/language/request'
import { AgentPage } from './agent-page.tsx'
import { agentScopesOf, decideScopes, grantAgent, isAgent } from './agents.ts'
import { ChoicePage, ConsentPage } from './consent-pages.tsx'
import {
  appParamsOf,
  DENIED,
  findInteraction,
  INTERACTION,
  type Interaction,
  interactionPath,
  requirementOf,
  resolve,
  resolveSignIn,
  satisfies,
} from './interaction.ts'
import type { OpenLibrary } from './library.ts'
import { sendStale } from './stale.ts'

/** The pages between an app's request and its result: sign-in and consent. */
export function declareInteractions(
  scope: FastifyInstance,
  world: World,
  library: OpenLibrary,
): void {
  scope.get(INTERACTION, async (request, reply) => {
    const { provider, keys } = await library()
    const interaction = await findInteraction(provider, request)
    const client = interaction && (await clientOf(provider, interaction))
    if (!interaction || !client) return await sendStaleInteraction(world, provider, request, reply)
    const session = await currentSession(world, request)
    if (interaction.prompt.name === 'consent') {
      if (!isOwn(interaction, session)) return redirectTo(reply, await resolve(interaction, {}))
      return await sendConsent(world, request, reply, { interaction, client, session })
    }
    const requirement = await requirementOf(world, interaction)
    if (!session || !satisfies(world, keys, session, client, requirement)) {
      const begun_at = requirement.since ?? world.clock.now()
      return redirectTo(reply, otherAccountUrl(world, request, reply, { interaction, begun_at }))
    }
    if (interaction.prompt.name === 'select_account') {
      return sendChoice(world, request, reply, { interaction, client, session })
    }
    return redirectTo(reply, await resolveSignIn(world, request, interaction, session))
  })

  scope.post(`${INTERACTION}/allow`, async (request, reply) => {
    const { provider } = await library()
    const interaction = await findInteraction(provider, request)
    if (!interaction) return await sendStaleInteraction(world, provider, request, reply)
    const session = await currentSession(world, request)
    if (interaction.prompt.name !== 'consent' || !isOwn(interaction, session)) {
      return redirectTo(reply, interactionPath(interaction))
    }
    const isOfAgent = interaction.params.client_id === grants.AGENT_CLIENT
    if (isOfAgent) {
      decideScopes(request, interaction)
      await requireProofForSecrets(world, { request, reply, session }, interaction)
    }
    const { user_id } = session
    const grantId = isOfAgent
      ? await grantAgent(world, provider, request, { interaction, user_id })
      : await grantApp(world, provider, { interaction, user_id })
    // Signed out in another browser while allowing: asked again, if this one is still signed in.
    if (grantId === undefined) return redirectTo(reply, interactionPath(interaction))
    return redirectAfterForm(reply, await resolve(interaction, { consent: { grantId } }))
  })

  scope.post(`${INTERACTION}/choose`, async (request, reply) => {
    const { provider } = await library()
    const interaction = await findInteraction(provider, request)
    if (!interaction) return await sendStaleInteraction(world, provider, request, reply)
    const isChosen = interaction.prompt.name === 'select_account'
    if (!isChosen || !(await currentSession(world, request))) {
      return redirectTo(reply, interactionPath(interaction))
    }
    return redirectAfterForm(reply, await resolve(interaction, { select_account: {} }))
  })

  // Also a link, because the sign-in page offers Cancel.
  scope.get(`${INTERACTION}/cancel`, async (request, reply) => cancel(request, reply))
  scope.post(`${INTERACTION}/cancel`, async (request, reply) => cancel(request, reply))

  async function cancel(request: FastifyRequest, reply: FastifyReply) {
    const { provider } = await library()
    const interaction = await findInteraction(provider, request)
    if (!interaction) return await sendStaleInteraction(world, provider, request, reply)
    return redirectAfterForm(reply, await resolve(interaction, DENIED), 'canceled')
  }
}

/** Whether the signed-in person is the one that the interaction is about. */
function isOwn(interaction: Interaction, session: Session | undefined): session is Session {
  return session !== undefined && session.user_id === interaction.session?.accountId
}

/**
 * Requires a recent authentication before an agent may replace client secrets, as the dashboard
 * does. What the person decided is kept.
 */
async function requireProofForSecrets(
  world: World,
  context: SessionContext,
  interaction: Interaction,
): Promise<void> {
  const isProven = isRecent(world.clock.now(), context.session)
  if (isProven || !grants.mayReplaceSecrets(agentScopesOf(interaction))) return
  await interaction.persist()
  requireRecentProof(world, context, interactionPath(interaction))
}

async function clientOf(provider: Provider, { params }: Interaction): Promise<Client | undefined> {
  return await provider.Client.find(String(params.client_id))
}

/** The sign-in page for another account, or for re-authentication, with the app's request. */
function otherAccountUrl(
  world: World,
  request: FastifyRequest,
  reply: FastifyReply,
  { interaction, begun_at }: { interaction: Interaction; begun_at: Date },
): string {
  const params = appParamsOf(interaction.params)
  return signInUrl(carry(world, request, reply, { params, begun_at }))
}

function sendChoice(
  world: World,
  request: FastifyRequest,
  reply: FastifyReply,
  facts: { interaction: Interaction; client: Client; session: Session },
): FastifyReply {
  const { interaction, client, session } = facts
  const begun_at = world.clock.now()
  const page = ChoicePage({
    locale: localeOf(request),
    app_name: client.app_name === undefined ? undefined : String(client.app_name),
    app_icon: iconOf(client),
    email: session.email,
    csrf_token: csrfToken(world, request, reply),
    choose_url: `${interactionPath(interaction)}/choose`,
    another_url: otherAccountUrl(world, request, reply, { interaction, begun_at }),
  })
  return sendPage(reply, page)
}

async function sendConsent(
  world: World,
  request: FastifyRequest,
  reply: FastifyReply,
  facts: { interaction: Interaction; client: Client; session: Session },
): Promise<FastifyReply> {
  const { interaction, client, session } = facts
  const here = interactionPath(interaction)
  const redirect = new URL(String(interaction.params.redirect_uri))
  const requested = {
    email: session.email,
    csrf_token: csrfToken(world, request, reply),
    allow_url: `${here}/allow`,
    cancel_url: `${here}/cancel`,
    another_url: otherAccountUrl(world, request, reply, {
      interaction,
      begun_at: world.clock.now(),
    }),
  }
  const page = isAgent(client)
    ? AgentPage({
        ...requested,
        locale: localeOf(request),
        scopes: agentScopesOf(interaction),
        callback: redirect.host,
        apps: (await apps.listOf(world.db, session.user_id)).map(({ name }) => name),
      })
    : ConsentPage({
        ...requested,
        locale: localeOf(request),
        app_name: String(client.app_name),
        app_url: (client.app_url as string | null) ?? undefined,
        app_icon: iconOf(client),
        redirect_host: redirect.host,
        scopes: scopesOf(interaction),
      })
  return sendPage(reply, page)
}

/** The path of an app's icon, if it has one. */
function iconOf({ app_icon }: Client): string | undefined {
  return typeof app_icon === 'string' ? app_icon : undefined
}

/** The scopes that consent would grant: those requested that exist. */
function scopesOf({ params }: Interaction): string[] {
  const requested = String(params.scope ?? '').split(' ')
  return grants.DEFAULT_SCOPES.filter((scope) => requested.includes(scope))
}

async function grantApp(
  { db, clock }: World,
  provider: Provider,
  { interaction, user_id }: { interaction: Interaction; user_id: UserId },
): Promise<string> {
  const client_id = String(interaction.params.client_id)
  const scopes = scopesOf(interaction)
  await grants.grantConsent(db, clock.now(), { user_id, client_id, scopes })
  const before = interaction.grantId && (await provider.Grant.find(interaction.grantId))
  const grant = before || new provider.Grant({ accountId: user_id, clientId: client_id })
  if (scopes.length > 0) grant.addOIDCScope(scopes)
  return await grant.save()
}

async function sendStaleInteraction(
  world: World,
  provider: Provider,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const { uid } = paramsOf(INTERACTION, request)
  const interaction = await provider.Interaction.find(uid)
  return await sendStale(world, reply, interaction?.params.client_id)
}
