import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import * as identity from '#domain/identity'
import { type FactorAnswer, finishSignIn, passkeyRequestOptions } from '#flows/sign-in'
import type { World } from '#flows/world'
import { browserHash } from '#http/browser'
import { deviceOf, originOf } from '#http/device'
import { faultOf, missingFactor, type Outcome, refusedFor, statusOf } from '#http/form-errors'
import { csrfToken } from '#http/form-token'
import { homeOf } from '#http/home'
import { formOf, queryOf } from '#http/input'
import { redirectTo, sendPage } from '#http/pages'
import { redirectAfterForm } from '#http/redirect'
import { ownPath } from '#http/redirect-path'
import { refuse } from '#http/refusals'
import { pendingToken, SECOND_FACTOR, setDeviceCookie, setSessionCookie } from '#http/session'
import { localeOf } from '#platform/language/request'
import { SecondFactorPage } from './second-factor-page.tsx'

/** The page that asks for the second factor, before the session starts. */
export function declareSecondFactor(scope: FastifyInstance, world: World): void {
  scope.get(SECOND_FACTOR, async (request, reply) => {
    const pending = await findPending(world, request)
    if (!pending) return redirectTo(reply, '/signin/')
    return await sendForm(world, request, reply, { pending })
  })

  scope.post(SECOND_FACTOR, async (request, reply) => {
    const pending = await findPending(world, request)
    if (!pending) return redirectTo(reply, '/signin/')
    const answer = readFactor(formOf(request), browserHash(world, request, reply))
    const locale = localeOf(request)
    const { kind } = answer
    const missing = missingFactor(answer, locale)
    if (missing) return await sendForm(world, request, reply, { pending, kind, fault: missing })
    const finished = await finishSignIn(world, {
      token: pendingToken(request),
      answer,
      device: deviceOf(request),
      origin: originOf(request),
    })
    if (finished.outcome === 'gone') return redirectTo(reply, '/signin/')
    if (finished.outcome === 'signed_in') {
      await setSessionCookie(world, request, reply, finished.token)
      setDeviceCookie(world, reply, pending.user_id)
      const onwards = ownPath(finished.return_to) ?? (await homeOf(world, pending.user_id))
      return redirectAfterForm(reply, onwards)
    }
    const refused = refusedFor(finished, faultOf(kind, locale), locale)
    const field = refused.retry_after === undefined ? kind : undefined
    return await sendForm(world, request, reply, { pending, kind: field, ...refused })
  })

  scope.post(`${SECOND_FACTOR}/options`, async (request, reply) => {
    const pending = await findPending(world, request)
    if (!pending) throw refuse('not_found')
    const options = await passkeyRequestOptions(world, {
      purpose: 'second_factor',
      user_id: pending.user_id,
      browser_hash: browserHash(world, request, reply),
    })
    return reply.header('cache-control', 'no-store').send(options)
  })
}

async function findPending({ db, clock }: World, request: FastifyRequest) {
  return await identity.findPending(db, clock.now(), pendingToken(request))
}

function readFactor(form: Record<string, string>, browser_hash: Buffer): FactorAnswer {
  const { code, recovery_code, credential = '' } = form
  if (code !== undefined) return { kind: 'code', text: code, browser_hash }
  if (recovery_code !== undefined) {
    return { kind: 'recovery_code', text: recovery_code, browser_hash }
  }
  return { kind: 'passkey', text: credential, browser_hash }
}

async function sendForm(
  world: World,
  request: FastifyRequest,
  reply: FastifyReply,
  state: Outcome & { pending: identity.PendingSignIn; kind?: FactorAnswer['kind'] | undefined },
): Promise<FastifyReply> {
  const { pending, kind, fault } = state
  const factors = await identity.factorsOf(world.db, pending.user_id)
  const page = SecondFactorPage({
    locale: localeOf(request),
    csrf_token: csrfToken(world, request, reply),
    email: pending.email,
    has_authenticator: factors.has_authenticator,
    has_passkeys: factors.passkeys > 0,
    with_recovery_code: queryOf(request, 'with') === 'recovery_code',
    fault: fault === undefined ? undefined : { kind, text: fault },
  })
  return sendPage(reply, page, statusOf(state))
}
