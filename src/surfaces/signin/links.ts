import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import * as identity from '#domain/identity'
import { confirmEmailChange } from '#flows/account'
import { confirmSignUp, type LinkSubmission, redeemLink, undoEmailChange } from '#flows/sign-in'
import type { World } from '#flows/world'
import { browserHash } from '#http/browser'
import { originOf } from '#http/device'
import { csrfToken } from '#http/form-token'
import { formOf, paramsOf } from '#http/input'
import { byIp } from '#http/limit-keys'
import { sendPage } from '#http/pages'
import { passwordSentence } from '#http/password-sentence'
import { redirectAfterForm } from '#http/redirect'
import { ownPath } from '#http/redirect-path'
import { refuse } from '#http/refusals'
import { currentSession, signOut, startSession } from '#http/session'
import { localeOf } from '#platform/language/request'
import type { RouteLimit } from '#platform/route-limits'
import {
  EmailChangedPage,
  EmailPayingPage,
  EmailTakenPage,
  ExpiredLinkPage,
  LinkPage,
  LockedPage,
} from './link-pages.tsx'

const PURPOSES = [
  'verify_email',
  'sign_in',
  'set_password',
  'not_me',
  'change_email',
  'undo_email',
  'sign_up',
] as const satisfies readonly Purpose[]

const LINKS: RouteLimit = { name: 'link-forms', points: 30, seconds: 60, key: byIp }

const LINK = '/link/:purpose/:token'

type Purpose = identity.LinkPurpose | 'sign_up'

/** An opened link from an email, for its page. */
interface OpenedLink {
  purpose: Purpose
  token: string
  email: string
  new_email: string | undefined
  password: 'password' | 'new_password' | undefined
}

/** Links from emails; opening one does nothing until its button is pressed. */
export function declareLinks(scope: FastifyInstance, world: World): void {
  scope.get(LINK, async (request, reply) => {
    const opened = await openLink(world, request, reply)
    return opened
      ? sendLink(world, request, reply, opened, undefined)
      : await sendExpired(world, request, reply)
  })

  scope.post(LINK, { config: { limits: [LINKS] } }, async (request, reply) => {
    const opened = await openLink(world, request, reply)
    if (!opened) return await sendExpired(world, request, reply)
    const { password } = formOf(request)
    const chosen = opened.password && (password ?? '')
    const fault =
      chosen === undefined
        ? undefined
        : await passwordSentence(chosen, opened.email, localeOf(request))
    if (fault !== undefined) return sendLink(world, request, reply, opened, fault)
    return await use(world, request, reply, { ...opened, chosen })
  })
}

/** The second of two tabs, or the browser's Back, may show a link that has just signed in. */
async function sendExpired(
  world: World,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const session = await currentSession(world, request)
  const page = ExpiredLinkPage({ locale: localeOf(request), signed_in_as: session?.email })
  return sendPage(reply, page, { status: 404 })
}

async function openLink(
  world: World,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<OpenedLink | undefined> {
  const { purpose: named, token } = paramsOf(LINK, request)
  const purpose = PURPOSES.find((each) => each === named)
  if (!purpose) throw refuse('not_found')
  const { db, clock } = world
  const now = clock.now()
  if (purpose === 'sign_up') {
    const typed = await identity.peekSignUp(db, now, token)
    if (!typed) return undefined
    // A person who reads the email on another browser may not be the one who chose the password.
    const isSame = typed.browser_hash.equals(browserHash(world, request, reply))
    const password = isSame ? undefined : 'password'
    return { purpose, token, email: typed.email, new_email: undefined, password }
  }
  const link = await identity.peekLink(db, now, { token, purpose })
  if (!link) return undefined
  const change = link.about ? await identity.findEmailChange(db, link.about) : undefined
  if (change?.ended_at) return undefined
  return {
    purpose,
    token,
    email: change?.old_email ?? link.email,
    new_email: change?.new_email,
    password: purpose === 'set_password' ? 'new_password' : undefined,
  }
}

async function use(
  world: World,
  request: FastifyRequest,
  reply: FastifyReply,
  { purpose, token, chosen }: OpenedLink & { chosen: string | undefined },
): Promise<FastifyReply> {
  const origin = originOf(request)
  const locale = localeOf(request)
  const by = purpose === 'sign_up' ? 'sign_up' : 'mail_link'
  const enter = async (
    { user_id, email_normalized }: Pick<identity.AccountLink, 'user_id' | 'email_normalized'>,
    return_to: string | null,
  ) => {
    const owner = { user_id, email_normalized, app_id: null, is_complete: false, by } as const
    const proven = { ...owner, return_to: ownPath(return_to) }
    return redirectAfterForm(reply, await startSession(world, request, reply, proven))
  }
  switch (purpose) {
    case 'sign_up': {
      const browser_hash = browserHash(world, request, reply)
      const answered = await confirmSignUp(world, { token, password: chosen, browser_hash, origin })
      if (!answered) return await sendExpired(world, request, reply)
      return await enter(answered, answered.return_to)
    }
    case 'change_email': {
      const changed = await confirmEmailChange(world, token, origin)
      if (changed.outcome === 'used') return await sendExpired(world, request, reply)
      if (changed.outcome === 'changed')
        return sendPage(reply, EmailChangedPage({ ...changed, locale }))
      const page =
        changed.outcome === 'paying'
          ? EmailPayingPage({ locale })
          : EmailTakenPage({ is_locked: false, locale })
      return sendPage(reply, page, { status: 409 })
    }
    case 'undo_email': {
      const undone = await undoEmailChange(world, token, origin)
      if (undone.outcome === 'used') return await sendExpired(world, request, reply)
      if (undone.outcome === 'undone') {
        return await enter(undone, '/account/security/password')
      }
      return sendPage(reply, EmailTakenPage({ is_locked: true, locale }), { status: 409 })
    }
    default: {
      const answer: LinkSubmission =
        purpose === 'set_password' ? { purpose, password: chosen ?? '' } : { purpose }
      const link = await redeemLink(world, token, answer, origin)
      if (!link) return await sendExpired(world, request, reply)
      if (purpose !== 'not_me') return await enter(link, link.return_to)
      await signOut(world, request, reply)
      return sendPage(reply, LockedPage({ locale }))
    }
  }
}

function sendLink(
  world: World,
  request: FastifyRequest,
  reply: FastifyReply,
  opened: OpenedLink,
  fault: string | undefined,
): FastifyReply {
  const { token: _, ...facts } = opened
  const page = LinkPage({
    ...facts,
    locale: localeOf(request),
    action: request.url,
    csrf_token: csrfToken(world, request, reply),
    fault,
  })
  return sendPage(reply, page, { status: fault === undefined ? 200 : 422, secret_address: true })
}
