import type { FastifyInstance, FastifyReply } from 'fastify'
import { encodeQR } from 'qr'
import * as identity from '#domain/identity'
import {
  addPasskey,
  confirmAuthenticator,
  openSetup,
  passkeyCreationOptions,
  remakeRecoveryCodes,
  removeAuthenticator,
  removePasskey,
  startAuthenticatorSetup,
} from '#flows/account'
import type { World } from '#flows/world'
import { browserHash } from '#http/browser'
import { browserText, deviceOf } from '#http/device'
import { faultOf, type Outcome, refusedFor, statusOf } from '#http/form-errors'
import { csrfToken } from '#http/form-token'
import { type OwnerContext, requireOwner, SECURITY } from '#http/guards/owner'
import { formOf } from '#http/input'
import { redirectTo, sendPage } from '#http/pages'
import { readId } from '#platform/ids'
import { localeOf } from '#platform/language/request'
import {
  AuthenticatorPage,
  PasskeyPage,
  RecoveryCodesPage,
  type RecoveryCodesReason,
} from './factor-pages.tsx'

const AUTHENTICATOR = `${SECURITY}authenticator`
const PASSKEYS = `${SECURITY}passkeys`

/** Second factors: authenticator app, passkeys and recovery codes. */
export function declareFactors(scope: FastifyInstance, world: World): void {
  declareAuthenticator(scope, world)
  declarePasskeys(scope, world)
  scope.post(`${SECURITY}recovery-codes`, async (request, reply) => {
    const context = await requireOwner(world, request, reply, { recent: true, back: SECURITY })
    const codes = await remakeRecoveryCodes(world, context.owner)
    if (!codes) return redirectTo(reply, SECURITY)
    return sendCodes(context, codes, 'replaced', SECURITY)
  })
}

function declareAuthenticator(scope: FastifyInstance, world: World): void {
  const needs = { recent: true, back: SECURITY }
  scope.post(`${AUTHENTICATOR}/begin`, async (request, reply) => {
    const { owner } = await requireOwner(world, request, reply, needs)
    const hasBegun = await startAuthenticatorSetup(world, owner)
    return redirectTo(reply, hasBegun ? AUTHENTICATOR : SECURITY)
  })
  scope.get(AUTHENTICATOR, async (request, reply) =>
    sendSetup(world, await requireOwner(world, request, reply, needs), {}),
  )
  scope.post(AUTHENTICATOR, async (request, reply) => {
    const context = await requireOwner(world, request, reply, needs)
    const { owner } = context
    const confirmed = await confirmAuthenticator(world, owner, formOf(request).code ?? '')
    if (confirmed.outcome === 'gone') return redirectTo(reply, SECURITY)
    if (confirmed.outcome !== 'on') {
      const locale = localeOf(request)
      const refused = refusedFor(confirmed, faultOf('code', locale), locale)
      return await sendSetup(world, context, refused)
    }
    const { recovery_codes } = confirmed
    if (!recovery_codes) return redirectTo(reply, `${SECURITY}?done=authenticator`)
    const next_url = await afterFirstFactor(world, context)
    return sendCodes(context, recovery_codes, 'of_authenticator', next_url)
  })
  scope.post(`${AUTHENTICATOR}/remove`, async (request, reply) => {
    const { owner } = await requireOwner(world, request, reply, needs)
    await removeAuthenticator(world, owner)
    return redirectTo(reply, `${SECURITY}?done=authenticator_removed`)
  })
}

async function sendSetup(
  world: World,
  { request, reply, owner }: OwnerContext,
  outcome: Outcome,
): Promise<FastifyReply> {
  const setup = await openSetup(world, owner)
  if (!setup) return redirectTo(reply, SECURITY)
  // Cameras need dark on light, and the drawing is transparent: a dark page would hide it.
  const background = '<rect width="100%" height="100%" fill="#fff"/>'
  const drawing = encodeQR(setup.uri, 'svg', { border: 4 }).replace('>', `>${background}`)
  const page = AuthenticatorPage({
    locale: localeOf(request),
    csrf_token: csrfToken(world, request, reply),
    qr_image: `data:image/svg+xml;base64,${Buffer.from(drawing).toString('base64')}`,
    secret: setup.secret,
    fault: outcome.fault,
  })
  return sendPage(reply, page, statusOf(outcome))
}

function declarePasskeys(scope: FastifyInstance, world: World): void {
  const adding = { recent: true, back: PASSKEYS }
  scope.get(PASSKEYS, async (request, reply) =>
    sendPasskey(world, await requireOwner(world, request, reply, adding)),
  )
  scope.post(`${PASSKEYS}/options`, async (request, reply) => {
    const { owner } = await requireOwner(world, request, reply, adding)
    const browser_hash = browserHash(world, request, reply)
    const options = await passkeyCreationOptions(world, owner, browser_hash)
    return reply.header('cache-control', 'no-store').send(options)
  })
  scope.post(PASSKEYS, async (request, reply) => {
    const context = await requireOwner(world, request, reply, adding)
    const { owner } = context
    const { credential = '', name = '' } = formOf(request)
    const browser_hash = browserHash(world, request, reply)
    const added = await addPasskey(world, owner, { text: credential, name, browser_hash })
    if (!added) return sendPasskey(world, context, name)
    const { recovery_codes } = added
    if (!recovery_codes) return redirectTo(reply, `${SECURITY}?done=passkey`)
    const next_url = await afterFirstFactor(world, context)
    return sendCodes(context, recovery_codes, 'of_passkey', next_url)
  })
  scope.post(`${PASSKEYS}/remove`, async (request, reply) => {
    const { owner } = await requireOwner(world, request, reply, { recent: true, back: SECURITY })
    const passkey_id = readId('psk', formOf(request).passkey)
    if (passkey_id) await removePasskey(world, owner, passkey_id)
    return redirectTo(reply, `${SECURITY}?done=passkey_removed`)
  })
}

/** The page that adds a passkey; `refused` is the name of one that could not be added. */
async function sendPasskey(
  world: World,
  { request, reply, owner }: OwnerContext,
  refused?: string,
): Promise<FastifyReply> {
  const locale = localeOf(request)
  const passkeys = await identity.listPasskeys(world.db, owner.user_id)
  const browser = browserText(deviceOf(request).browser, locale)
  const page = PasskeyPage({
    locale,
    csrf_token: csrfToken(world, request, reply),
    name: refused || unusedName(browser, passkeys),
    is_refused: refused !== undefined,
  })
  return sendPage(reply, page, { status: refused === undefined ? 200 : 422 })
}

/** A name that none of the passkeys has: two devices may have the same kind of browser. */
function unusedName(name: string, passkeys: identity.Passkey[]): string {
  const names = new Set(passkeys.map((passkey) => passkey.name))
  let unused = name
  for (let number = 2; names.has(unused); number++) unused = `${name} ${number}`
  return unused
}

/** The admin area opens to staff with their first factor. */
async function afterFirstFactor({ db }: World, { session }: OwnerContext): Promise<string> {
  const user = await identity.findUser(db, session.user_id)
  return user?.staff_role ? '/admin/' : SECURITY
}

/** Sends the page that shows new recovery codes, once. */
function sendCodes(
  { request, reply }: OwnerContext,
  codes: string[],
  reason: RecoveryCodesReason,
  next_url: string,
): FastifyReply {
  const locale = localeOf(request)
  return sendPage(reply, RecoveryCodesPage({ locale, codes, reason, next_url }))
}
