import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import * as identity from '#domain/identity'
import {
  passkeyRequestOptions,
  sendSignInEmail,
  signInWithPasskey,
  signInWithPassword,
} from '#flows/sign-in'
import type { World } from '#flows/world'
import { requestingApp } from '#http/app-request'
import { browserHash } from '#http/browser'
import { originOf } from '#http/device'
import { faultOf, type Outcome, refusedFor, statusOf, tooOften } from '#http/form-errors'
import { csrfToken } from '#http/form-token'
import { formOf, queryOf } from '#http/input'
import { byIp } from '#http/limit-keys'
import { people, redirectTo, sendPage } from '#http/pages'
import { redirectAfterForm, returnQuery } from '#http/redirect'
import { ownPath } from '#http/redirect-path'
import { knownDevice, signOut, startSession } from '#http/session'
import { localeOf } from '#platform/language/request'
import type { RouteLimit } from '#platform/route-limits'
import { undoDisowned } from './disowned.ts'
import { declareLanguage } from './language.ts'
import { declareLinks } from './links.ts'
import { declareSecondFactor } from './second-factor.ts'
import { SignInPage } from './sign-in-pages.tsx'
import { declareSignUp } from './sign-up.ts'
import { declareStaffLink } from './staff-link.ts'

const PASSKEYS: RouteLimit = { name: 'sign-in-passkeys', points: 60, seconds: 900, key: byIp }
const HOURLY = '10 * * * *'

/** Sign-in, sign-up, sign-out, and the links in emails. */
export function signin(app: FastifyInstance, world: World): void {
  const { db, clock, jobs, stopping } = world
  jobs.schedule('forget-sign-ins', HOURLY, () => identity.deleteExpired(db, clock.now(), stopping))
  undoDisowned(world)
  people(app, world, (scope) => {
    scope.get('/signin/', async (request, reply) =>
      sendSignIn(world, request, reply, { return_to: ownPath(queryOf(request, 'return_to')) }),
    )
    scope.post('/signin/', async (request, reply) => trySignIn(world, request, reply))
    scope.post('/signout/', async (request, reply) => {
      await signOut(world, request, reply)
      return redirectTo(reply, '/')
    })
    declarePasskey(scope, world)
    declareSecondFactor(scope, world)
    declareSignUp(scope, world)
    declareLinks(scope, world)
    declareLanguage(scope, world)
    declareStaffLink(scope, world)
  })
}

interface SignInState extends Outcome {
  email?: string
  /** The field that has the error, if it belongs to one. */
  field?: 'email' | 'password'
  return_to: string | undefined
  sent?: string
}

async function sendSignIn(
  world: World,
  request: FastifyRequest,
  reply: FastifyReply,
  state: SignInState,
): Promise<FastifyReply> {
  const { return_to, field, fault, sent } = state
  const requesting_app = await requestingApp(world, return_to)
  const page = SignInPage({
    locale: localeOf(request),
    csrf_token: csrfToken(world, request, reply),
    email: state.email ?? requesting_app?.expected_email ?? '',
    return_to,
    requesting_app,
    fault: fault === undefined ? undefined : { field, text: fault },
    sent,
    is_unsaved: queryOf(request, 'form') === 'unsaved',
    sign_up_url: `/signup/${returnQuery(return_to)}`,
    live_url: world.config.live_url,
  })
  return sendPage(reply, page, statusOf(state))
}

async function trySignIn(
  world: World,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const form = formOf(request)
  const locale = localeOf(request)
  const return_to = ownPath(form.return_to)
  const read = identity.readEmail(form.email ?? '')
  const again = (state: Omit<SignInState, 'return_to' | 'email'>) =>
    sendSignIn(world, request, reply, { ...state, email: form.email ?? '', return_to })
  if (!read) return again({ field: 'email', fault: faultOf('email', locale) })
  const known = knownDevice(world, request)
  const claim = { email_normalized: read.email_normalized, origin: originOf(request), known }
  if (form.by === 'sign_in' || form.by === 'set_password') {
    const sent = await sendSignInEmail(world, {
      ...claim,
      kind: form.by,
      return_to,
      language: locale.language,
    })
    if (sent.outcome === 'sent') return again({ sent: locale.t('signin.sent') })
    return again(tooOften(sent, locale))
  }
  const { password = '' } = form
  // It proves nothing, and is no attempt.
  if (password === '')
    return again({ field: 'password', fault: locale.t('error.missing_password') })
  const signedIn = await signInWithPassword(world, { ...claim, password })
  if (signedIn.outcome !== 'signed_in')
    return again(refusedFor(signedIn, locale.t('signin.wrong'), locale))
  const { user_id, password_hash } = signedIn
  const by = 'password'
  const proven = {
    user_id,
    app_id: null,
    return_to,
    is_complete: false,
    by,
    password_hash,
  } as const
  return redirectAfterForm(reply, await startSession(world, request, reply, proven))
}

function declarePasskey(scope: FastifyInstance, world: World): void {
  const config = { limits: [PASSKEYS] }
  scope.post('/signin/passkey/options', { config }, async (request, reply) => {
    const browser_hash = browserHash(world, request, reply)
    const requesting_app = { purpose: 'sign_in', user_id: null, browser_hash } as const
    return reply
      .header('cache-control', 'no-store')
      .send(await passkeyRequestOptions(world, requesting_app))
  })

  scope.post('/signin/passkey', { config }, async (request, reply) => {
    const form = formOf(request)
    const return_to = ownPath(form.return_to)
    const signedIn = await signInWithPasskey(world, {
      text: form.credential ?? '',
      browser_hash: browserHash(world, request, reply),
      origin: originOf(request),
    })
    if (signedIn.outcome !== 'signed_in') {
      return sendSignIn(world, request, reply, {
        return_to,
        fault: localeOf(request).t('signin.unknown_passkey'),
      })
    }
    const { outcome: _, ...signer } = signedIn
    const proven = { ...signer, app_id: null, return_to, is_complete: true, by: 'passkey' } as const
    return redirectAfterForm(reply, await startSession(world, request, reply, proven))
  })
}
