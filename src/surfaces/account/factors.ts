import type { FastifyInstance, FastifyReply } from 'fastify'
import { encodeQR } from 'qr'
import {
  addPasskey,
  askForNewPasskey,
  beginAuthenticator,
  confirmAuthenticator,
  openSetup,
  remakeRecoveryCodes,
  removeAuthenticator,
  removePasskey,
} from '#flows/account'
import type { World } from '#flows/world'
import { browserHash, csrfToken } from '#surfaces/browser'
import { deviceOf } from '#surfaces/device'
import { FAULTS, type Outcome, refusedFor, statusOf } from '#surfaces/faults'
import { formOf, goTo, sendPage } from '#surfaces/pages'
import { AuthenticatorPage, PasskeyPage, RecoveryCodesPage } from './factor-pages.tsx'
import { forOwner, SECURITY, type Visit } from './owner.ts'

const AUTHENTICATOR = `${SECURITY}authenticator`
const PASSKEYS = `${SECURITY}passkeys`

/** The second factors: authenticator app, passkeys, and the codes for the day they are lost. */
export function declareFactors(scope: FastifyInstance, world: World): void {
  declareAuthenticator(scope, world)
  declarePasskeys(scope, world)
  scope.post(
    `${SECURITY}recovery-codes`,
    forOwner(world, { recent: true, back: SECURITY }, async (visit) => {
      const codes = await remakeRecoveryCodes(world, visit.owner)
      if (!codes) return goTo(visit.reply, SECURITY)
      return sendCodes(visit, codes, 'These take the place of any codes before.')
    }),
  )
}

function declareAuthenticator(scope: FastifyInstance, world: World): void {
  const needs = { recent: true, back: SECURITY }
  scope.post(
    `${AUTHENTICATOR}/begin`,
    forOwner(world, needs, async ({ reply, owner }) => {
      const hasBegun = await beginAuthenticator(world, owner)
      return goTo(reply, hasBegun ? AUTHENTICATOR : SECURITY)
    }),
  )
  scope.get(
    AUTHENTICATOR,
    forOwner(world, needs, async (visit) => await sendSetup(world, visit, {})),
  )
  scope.post(
    AUTHENTICATOR,
    forOwner(world, needs, async (visit) => {
      const { request, reply, owner } = visit
      const confirmed = await confirmAuthenticator(world, owner, formOf(request).code ?? '')
      if (confirmed.outcome === 'gone') return goTo(reply, SECURITY)
      if (confirmed.outcome !== 'on') {
        return await sendSetup(world, visit, refusedFor(confirmed, FAULTS.code))
      }
      const { recovery_codes } = confirmed
      if (!recovery_codes) return goTo(reply, `${SECURITY}?done=authenticator`)
      return sendCodes(visit, recovery_codes, 'Your authenticator app is set up.')
    }),
  )
  scope.post(
    `${AUTHENTICATOR}/remove`,
    forOwner(world, needs, async ({ reply, owner }) => {
      await removeAuthenticator(world, owner)
      return goTo(reply, `${SECURITY}?done=removed`)
    }),
  )
}

async function sendSetup(
  world: World,
  { request, reply, owner }: Visit,
  outcome: Outcome,
): Promise<FastifyReply> {
  const setup = await openSetup(world, owner)
  if (!setup) return goTo(reply, SECURITY)
  const drawing = encodeQR(setup.uri, 'svg', { border: 4 })
  const page = AuthenticatorPage({
    csrf_token: csrfToken(world, request, reply),
    qr_image: `data:image/svg+xml;base64,${Buffer.from(drawing).toString('base64')}`,
    secret: setup.secret,
    fault: outcome.fault,
  })
  return sendPage(reply, page, statusOf(outcome))
}

function declarePasskeys(scope: FastifyInstance, world: World): void {
  const adding = { recent: true, back: PASSKEYS }
  scope.get(
    PASSKEYS,
    forOwner(world, adding, async (visit) => sendPasskey(world, visit, false)),
  )
  scope.post(
    `${PASSKEYS}/options`,
    forOwner(world, adding, async ({ request, reply, owner }) => {
      const browser_hash = browserHash(world, request, reply)
      const options = await askForNewPasskey(world, owner, browser_hash)
      return reply.header('cache-control', 'no-store').send(options)
    }),
  )
  scope.post(
    PASSKEYS,
    forOwner(world, adding, async (visit) => {
      const { request, reply, owner } = visit
      const { credential = '', name = '' } = formOf(request)
      const browser_hash = browserHash(world, request, reply)
      const added = await addPasskey(world, owner, { text: credential, name, browser_hash })
      if (!added) return sendPasskey(world, visit, true)
      const { recovery_codes } = added
      if (!recovery_codes) return goTo(reply, `${SECURITY}?done=passkey`)
      return sendCodes(visit, recovery_codes, 'Your passkey is added.')
    }),
  )
  scope.post(
    `${PASSKEYS}/remove`,
    forOwner(world, { recent: true, back: SECURITY }, async ({ request, reply, owner }) => {
      await removePasskey(world, owner, formOf(request).passkey ?? '')
      return goTo(reply, `${SECURITY}?done=removed`)
    }),
  )
}

function sendPasskey(world: World, { request, reply }: Visit, is_refused: boolean): FastifyReply {
  const page = PasskeyPage({
    csrf_token: csrfToken(world, request, reply),
    name: deviceOf(request).browser,
    is_refused,
  })
  return sendPage(reply, page, { status: is_refused ? 422 : 200 })
}

/** The one time that recovery codes are seen. */
function sendCodes({ reply }: Visit, codes: string[], words: string): FastifyReply {
  return sendPage(reply, RecoveryCodesPage({ codes, words }))
}
