import type { FastifyInstance, FastifyReply } from 'fastify'
import * as identity from '#domain/identity'
import { type FactorAnswer, passkeyRequestOptions, reauthenticate } from '#flows/sign-in'
import type { World } from '#flows/world'
import { browserHash } from '#http/browser'
import { originOf } from '#http/device'
import { faultOf, missingFactor, type Outcome, refusedFor, statusOf } from '#http/form-errors'
import { csrfToken } from '#http/form-token'
import { type OwnerContext, requireOwner, SECURITY } from '#http/guards/owner'
import { CONFIRM } from '#http/guards/session'
import { formOf, queryOf } from '#http/input'
import { sendPage } from '#http/pages'
import { redirectAfterForm } from '#http/redirect'
import { ownPath } from '#http/redirect-path'
import { knownDevice, setSessionCookie } from '#http/session'
import type { Locale } from '#platform/language/locale'
import { localeOf } from '#platform/language/request'
import { ConfirmPage } from './confirm-page.tsx'

/** The part of a proof that was incorrect. */
type ProofKind = 'password' | FactorAnswer['kind']

function messageOf(kind: ProofKind, locale: Locale): string {
  return kind === 'password' ? locale.t('account.password_wrong') : faultOf(kind, locale)
}

/** Re-authentication before security settings, refunds or payouts change. */
export function declareConfirm(scope: FastifyInstance, world: World): void {
  const needs = { recent: false, back: SECURITY }
  scope.get(CONFIRM, async (request, reply) => {
    const context = await requireOwner(world, request, reply, needs)
    const return_to = ownPath(queryOf(request, 'return_to'))
    return await sendForm(world, context, { return_to })
  })

  scope.post(CONFIRM, async (request, reply) => {
    const context = await requireOwner(world, request, reply, needs)
    const { session } = context
    const form = formOf(request)
    const return_to = ownPath(form.return_to)
    const factor = readFactor(form, browserHash(world, request, reply))
    const missing = missingIn(form, factor, localeOf(request))
    if (missing) return await sendForm(world, context, { return_to, ...missing })
    const proof = {
      password: form.password,
      factor,
      origin: originOf(request),
      known: knownDevice(world, request),
    }
    const proven = await reauthenticate(world, session, proof)
    if (proven.outcome !== 'proven') {
      const isPassword = proven.outcome === 'wrong' && proven.part === 'password'
      const kind = isPassword ? 'password' : (factor?.kind ?? 'code')
      const locale = localeOf(request)
      const refused = refusedFor(proven, messageOf(kind, locale), locale)
      const field = refused.retry_after === undefined ? kind : undefined
      return await sendForm(world, context, { return_to, kind: field, ...refused })
    }
    await setSessionCookie(world, request, reply, proven.token)
    return redirectAfterForm(reply, return_to ?? SECURITY)
  })

  scope.post(`${CONFIRM}/options`, async (request, reply) => {
    const { session } = await requireOwner(world, request, reply, needs)
    const options = await passkeyRequestOptions(world, {
      purpose: 'confirm',
      user_id: session.user_id,
      browser_hash: browserHash(world, request, reply),
    })
    return reply.header('cache-control', 'no-store').send(options)
  })
}

/** The field that was left empty, if any: it proves nothing, and is no attempt. */
function missingIn(
  { password }: Record<string, string>,
  factor: FactorAnswer | undefined,
  locale: Locale,
): { kind: ProofKind; fault: string } | undefined {
  if (password === '') return { kind: 'password', fault: locale.t('error.missing_password') }
  const fault = factor && missingFactor(factor, locale)
  return fault === undefined ? undefined : { kind: factor!.kind, fault }
}

function readFactor(
  { code, recovery_code, credential }: Record<string, string>,
  browser_hash: Buffer,
): FactorAnswer | undefined {
  if (credential !== undefined) return { kind: 'passkey', text: credential, browser_hash }
  if (code !== undefined) return { kind: 'code', text: code, browser_hash }
  if (recovery_code === undefined) return undefined
  return { kind: 'recovery_code', text: recovery_code, browser_hash }
}

async function sendForm(
  world: World,
  { request, reply, session }: OwnerContext,
  state: Outcome & { return_to: string | undefined; kind?: ProofKind | undefined },
): Promise<FastifyReply> {
  const { db } = world
  const { kind, fault, return_to } = state
  const user = await identity.getUser(db, session.user_id)
  const factors = await identity.factorsOf(db, session.user_id)
  const { live_url } = world.config
  const page = ConfirmPage({
    locale: localeOf(request),
    csrf_token: csrfToken(world, request, reply),
    email: session.email,
    return_to: return_to ?? SECURITY,
    has_password: user.password_hash !== null,
    has_authenticator: factors.has_authenticator,
    has_passkeys: factors.passkeys > 0,
    with_recovery_code: queryOf(request, 'with') === 'recovery_code' || kind === 'recovery_code',
    fault: fault === undefined ? undefined : { kind, text: fault },
    live_url: (await identity.isMirrored(db, session.user_id)) ? live_url : undefined,
  })
  return sendPage(reply, page, statusOf(state))
}
