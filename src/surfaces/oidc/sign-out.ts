import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import * as apps from '#domain/apps'
import * as grants from '#domain/grants'
import type { Session } from '#domain/identity'
import { endLogin, type SignOut, signOutOfApp } from '#flows/sign-out'
import type { World } from '#flows/world'
import { originOf } from '#http/device'
import { csrfToken } from '#http/form-token'
import { formOf } from '#http/input'
import { people, redirectTo, sendPage } from '#http/pages'
import { redirectAfterForm } from '#http/redirect'
import { currentSession, signOut } from '#http/session'
import { readId, type UserId } from '#platform/ids'
import { localeOf } from '#platform/language/request'
import { SIGN_IN_COOKIE } from './cookies.ts'
import { type Hint, readHint } from './hint.ts'
import type { OpenLibrary } from './library.ts'
import { ImpossibleSignOutPage, SignOutPage } from './sign-out-page.tsx'
import { useLanguage } from './ui-locales.ts'

/** The parameters of a sign-out request (RP-Initiated Logout 1.0). */
const PARAMETERS = ['client_id', 'id_token_hint', 'post_logout_redirect_uri', 'state']

/** A valid sign-out request. */
interface SignOutRequest {
  client: apps.SignInClient | undefined
  /** The next address: the app's registered URL, or the home page. */
  address: string
  /** The subject of the ID token hint, if there is one. */
  hint: Exclude<Hint, string> | undefined
}

/** Sign-out requests of apps, with a confirmation page; the library's own pages are not used. */
export function declareSignOut(app: FastifyInstance, world: World, library: OpenLibrary): void {
  people(app, world, (scope) => {
    scope.get('/o/session/end', async (request, reply) => {
      useLanguage(world, request)
      const parameters = textsOf(request.query)
      const requested = await read(world, library, parameters)
      if (typeof requested === 'string') return sendImpossible(reply, requested)
      const sessions = await sessionsOf(world, request)
      const isSignedIn = sessions.session !== undefined || sessions.sign_in?.user_id !== undefined
      if (!isSignedIn && !(await namesLogin(world, requested))) {
        return redirectTo(reply, requested.address)
      }
      const page = SignOutPage({
        locale: localeOf(request),
        app_name: requested.client?.app_name ?? undefined,
        app_icon: requested.client && apps.iconPath(requested.client),
        ends: !isSignedIn
          ? 'login'
          : (await namesOtherAccount(library, requested, sessions))
            ? { other_than: sessions.session?.email ?? '' }
            : 'app',
        csrf_token: csrfToken(world, request, reply),
        requested: parameters,
        stay_url: requested.address,
      })
      return sendPage(reply, page)
    })

    scope.post('/o/session/end/sign-out', async (request, reply) => {
      const requested = await read(world, library, textsOf(formOf(request)))
      if (typeof requested === 'string') return sendImpossible(reply, requested)
      const sessions = await sessionsOf(world, request)
      if (await namesOtherAccount(library, requested, sessions)) {
        const { client_id, sid } = requested.hint!
        if (sid !== undefined) await endLogin(world, { client_id, sid })
        return redirectAfterForm(reply, requested.address, 'signed_out')
      }
      const client_id = requested.client?.client_id
      await signOutOfApp(world, { ...sessions, client_id, origin: originOf(request) })
      await signOut(world, request, reply)
      reply.clearCookie(SIGN_IN_COOKIE, { path: '/', secure: true })
      return redirectAfterForm(reply, requested.address, 'signed_out')
    })
  })
}

function sendImpossible(reply: FastifyReply, message: string): FastifyReply {
  const page = ImpossibleSignOutPage({ message, locale: localeOf(reply.request) })
  return sendPage(reply, page, { status: 400 })
}

/** Reads and validates a sign-out request; a string is the reason why it is invalid. */
async function read(
  { config, db }: World,
  library: OpenLibrary,
  parameters: Record<string, string>,
): Promise<SignOutRequest | string> {
  const { id_token_hint, post_logout_redirect_uri, state } = parameters
  let { client_id } = parameters
  let known: SignOutRequest['hint']
  if (id_token_hint !== undefined) {
    const { keys } = await library()
    const hint = await readHint(id_token_hint, `${config.base_url}/o`, keys.signing)
    if (hint === 'forged') return 'the id_token_hint is not an ID token of this service'
    if (hint !== 'unknown') {
      if (client_id !== undefined && client_id !== hint.client_id) {
        return 'the id_token_hint was issued for another client_id'
      }
      client_id = hint.client_id
      known = hint
    }
  }
  if (client_id === undefined) return { client: undefined, address: '/', hint: known }
  const client = await apps.findSignInClient(db, client_id)
  if (!client) return 'the client_id does not exist'
  const isListed =
    post_logout_redirect_uri !== undefined &&
    client.post_logout_redirect_uris.includes(post_logout_redirect_uri)
  if (!isListed) return { client, address: '/', hint: known }
  const address =
    state === undefined
      ? post_logout_redirect_uri
      : apps.withParameter(post_logout_redirect_uri, 'state', state)
  return { client, address, hint: known }
}

/** The people in this browser: of the service's session, and of the library's session. */
interface BrowserSessions extends Pick<SignOut, 'sign_in'> {
  session: Session | undefined
}

/**
 * Whether the app names a login that still has tokens. The person is asked about it, signed in here
 * or not (RP-Initiated Logout 1.0, 2).
 */
async function namesLogin({ db, clock }: World, { hint }: SignOutRequest): Promise<boolean> {
  const { client_id, sid } = hint ?? {}
  if (client_id === undefined || sid === undefined) return false
  return await grants.hasTokens(db, clock.now(), { client_id, sid })
}

/** Whether the app names an account that is not signed in on this browser. */
async function namesOtherAccount(
  library: OpenLibrary,
  { client, hint }: SignOutRequest,
  { session, sign_in }: BrowserSessions,
): Promise<boolean> {
  if (!client || !hint) return false
  const { keys } = await library()
  const sector = client.app_id ?? client.client_id
  const isMeant = (user_id: UserId | undefined) =>
    user_id !== undefined && grants.subjectOf(keys.subject, { sector, user_id }) === hint.sub
  return !isMeant(session?.user_id) && !isMeant(sign_in?.user_id)
}

async function sessionsOf(world: World, request: FastifyRequest): Promise<BrowserSessions> {
  const { db, clock } = world
  const session = await currentSession(world, request)
  const name = request.cookies[SIGN_IN_COOKIE] ?? ''
  const found = await grants.findRecord(db, clock.now(), { kind: 'Session', name })
  const { uid, accountId } = (found?.payload ?? {}) as { uid?: string; accountId?: string }
  const user_id = readId('usr', accountId)
  return { session, sign_in: uid === undefined ? undefined : { uid, user_id } }
}

/** The supported parameters, unless repeated. */
function textsOf(values: unknown): Record<string, string> {
  const given = (values ?? {}) as Record<string, unknown>
  return Object.fromEntries(
    PARAMETERS.map((name) => [name, given[name]] as const).filter(
      (pair): pair is [string, string] => typeof pair[1] === 'string' && pair[1] !== '',
    ),
  )
}
