import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Client } from 'oidc-provider'
import * as apps from '#domain/apps'
import type { World } from '#flows/world'
import { type AppRequest, CONTINUE, readCarried } from '#http/app-request'
import { redirectTo } from '#http/pages'
import { signInUrl } from '#http/redirect'
import { currentSession } from '#http/session'
import { DENIED, type SignInRequirement, satisfies } from './interaction.ts'
import type { OpenLibrary } from './library.ts'
import { sendStale } from './stale.ts'

/** Continues an app's request after sign-in. */
export function declareContinue(scope: FastifyInstance, world: World, library: OpenLibrary): void {
  scope.get(CONTINUE, async (request, reply) => {
    const found = await findAppRequest(world, library, request, reply)
    if (!found) return await sendStaleRequest(world, request, reply)
    const { keys } = await library()
    const session = await currentSession(world, request)
    const requested = requirementOf(found.app_request)
    const isEnough = session && satisfies(world, keys, session, found.client, requested)
    if (!isEnough) return redirectTo(reply, signInUrl(request.url))
    return redirectTo(reply, `/o/auth?${queryOf(world, found.app_request)}`)
  })

  // The Cancel link on the sign-in page.
  scope.get(`${CONTINUE}/cancel`, async (request, reply) => {
    const found = await findAppRequest(world, library, request, reply)
    if (!found) return await sendStaleRequest(world, request, reply)
    const { redirect_uri, state } = found.app_request.params
    const answer = { ...DENIED, state, iss: `${world.config.base_url}/o` }
    const address = Object.entries(answer).reduce(
      (url, [name, value]) =>
        value === undefined ? url : apps.withParameter(url, name, String(value)),
      String(redirect_uri),
    )
    return redirectTo(reply, address)
  })
}

interface VerifiedRequest {
  app_request: AppRequest
  client: Client
}

/**
 * The app's request in the path, if this browser started it and the app's redirect URL is still
 * registered.
 */
async function findAppRequest(
  world: World,
  library: OpenLibrary,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<VerifiedRequest | undefined> {
  const app_request = readCarried(world, request, reply, pathOf(request))
  if (!app_request?.is_own) return undefined
  const { provider } = await library()
  const client = await provider.Client.find(String(app_request.params.client_id))
  const isRegistered = client?.redirectUriAllowed(String(app_request.params.redirect_uri))
  return client && isRegistered ? { app_request, client } : undefined
}

function pathOf({ url }: FastifyRequest): string {
  return url.replace(`${CONTINUE}/cancel?`, `${CONTINUE}?`)
}

async function sendStaleRequest(
  world: World,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const app_request = readCarried(world, request, reply, pathOf(request))
  return await sendStale(world, reply, app_request?.params.client_id)
}

/** The authentication that the app requires; some prompts require one after the request. */
function requirementOf({ params, begun_at }: AppRequest): SignInRequirement {
  const isRequested = promptsOf(params).includes('select_account') || wantsNewProof(params)
  return { params, since: isRequested ? begun_at : undefined }
}

function wantsNewProof(params: AppRequest['params']): boolean {
  return promptsOf(params).includes('login') || params.max_age === '0'
}

/** The request for the library, without what signing in has already satisfied. */
function queryOf({ clock }: World, { params, begun_at }: AppRequest): URLSearchParams {
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries(params)) {
    for (const each of [value].flat()) query.append(name, each)
  }
  const prompts = promptsOf(params).filter((each) => !['login', 'select_account'].includes(each))
  query.delete('prompt')
  if (prompts.length > 0) query.set('prompt', prompts.join(' '))
  // The authentication came after the request, and the ID token must say when.
  const age = Math.ceil((clock.now().getTime() - begun_at.getTime()) / 1000) + REDIRECT_SECONDS
  if (wantsNewProof(params)) query.set('max_age', String(age))
  return query
}

/** The longest time that the redirects to the library may take. */
const REDIRECT_SECONDS = 60

function promptsOf({ prompt }: AppRequest['params']): string[] {
  return typeof prompt === 'string' ? prompt.split(' ') : []
}
