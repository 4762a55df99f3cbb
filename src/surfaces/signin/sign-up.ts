import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import * as identity from '#domain/identity'
import { signUp } from '#flows/sign-in'
import type { World } from '#flows/world'
import { requestingApp } from '#http/app-request'
import { browserHash } from '#http/browser'
import { originOf } from '#http/device'
import { faultOf, tooOften } from '#http/form-errors'
import { csrfToken } from '#http/form-token'
import { formOf, queryOf } from '#http/input'
import { byIp } from '#http/limit-keys'
import { sendPage } from '#http/pages'
import { passwordSentence } from '#http/password-sentence'
import { returnQuery, signInUrl } from '#http/redirect'
import { ownPath } from '#http/redirect-path'
import { knownDevice } from '#http/session'
import { localeOf } from '#platform/language/request'
import type { RouteLimit } from '#platform/route-limits'
import { CheckInboxPage, type SignUpFaults, SignUpPage } from './sign-in-pages.tsx'

const SIGN_UPS: RouteLimit = { name: 'sign-up-forms', points: 20, seconds: 60, key: byIp }

/** Sign-up. The page is the same for every email, so that it does not reveal who has an account. */
export function declareSignUp(scope: FastifyInstance, world: World): void {
  scope.get('/signup/', async (request, reply) =>
    sendForm(world, request, reply, {
      email: queryOf(request, 'email'),
      return_to: ownPath(queryOf(request, 'return_to')),
      faults: {},
    }),
  )

  scope.post('/signup/', { config: { limits: [SIGN_UPS] } }, async (request, reply) => {
    const form = formOf(request)
    const locale = localeOf(request)
    const return_to = ownPath(form.return_to)
    const read = identity.readEmail(form.email ?? '')
    const password = form.password ?? ''
    const again = (faults: SignUpFaults, retry_after?: number) =>
      sendForm(world, request, reply, { email: form.email ?? '', return_to, faults, retry_after })
    const fault = await passwordSentence(password, read?.email ?? '', locale)
    if (!read || fault !== undefined) {
      return again({
        ...(read ? {} : { email: faultOf('email', locale) }),
        ...(fault === undefined ? {} : { password: fault }),
      })
    }
    const browser_hash = browserHash(world, request, reply)
    const typed = {
      ...read,
      password,
      browser_hash,
      return_to,
      language: locale.language,
      origin: originOf(request),
      known: knownDevice(world, request),
    }
    const requested = await signUp(world, typed)
    if (requested.outcome === 'too_often') {
      const { fault: form, retry_after } = tooOften(requested, locale)
      return again({ form }, retry_after)
    }
    const sign_up_url = `/signup/${returnQuery(return_to)}`
    return sendPage(reply, CheckInboxPage({ locale, email: read.email, sign_up_url }))
  })
}

async function sendForm(
  world: World,
  request: FastifyRequest,
  reply: FastifyReply,
  state: {
    email: string | undefined
    return_to: string | undefined
    faults: SignUpFaults
    retry_after?: number | undefined
  },
): Promise<FastifyReply> {
  const { retry_after, ...facts } = state
  const requesting_app = await requestingApp(world, state.return_to)
  const page = SignUpPage({
    locale: localeOf(request),
    csrf_token: csrfToken(world, request, reply),
    ...facts,
    email: state.email ?? requesting_app?.expected_email ?? '',
    requesting_app,
    sign_in_url: signInUrl(state.return_to),
  })
  const isFaulty = Object.keys(state.faults).length > 0
  const status = state.faults.form ? 429 : isFaulty ? 422 : 200
  return sendPage(reply, page, { status, retry_after })
}
