import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import * as identity from '#domain/identity'
import { type Answer, answerLink, sendEntryLetter, signInWithPassword } from '#flows/sign-in'
import type { World } from '#flows/world'
import { csrfToken, signIn, signOut } from '#surfaces/browser'
import { formOf, goTo, people, queryOf, sendPage } from '#surfaces/pages'
import { refuse } from '#surfaces/refusals'
import { LinkPage, LockedPage, SignedInPage, SignInPage, SpentLinkPage } from './pages.tsx'

const HOME = '/account/'
const PURPOSES: readonly string[] = ['verify_email', 'sign_in', 'set_password', 'not_me']
const FAULTS = {
  wrong: 'That email and password do not fit together.',
  too_often: 'There were many tries in a short time. Wait a quarter of an hour, then try again.',
  email: 'Enter an email address such as name@example.com.',
}
const SENT = 'If there is an account for that address, a letter is on its way to it.'

/** Signing in and out, and the links that come from a mailbox. */
export function signin(app: FastifyInstance, world: World): void {
  people(app, world, (scope) => {
    scope.get('/signin/', async (request, reply) =>
      sendSignIn(world, request, reply, { return_to: ownPath(queryOf(request, 'return_to')) }),
    )
    scope.post('/signin/', async (request, reply) => trySignIn(world, request, reply))
    scope.post('/signout/', async (request, reply) => {
      await signOut(world, request, reply)
      return goTo(reply, '/')
    })
    declareLinks(scope, world)
  })
}

interface SignInState {
  email?: string
  return_to: string | undefined
  fault?: string
  sent?: string
}

function sendSignIn(
  world: World,
  request: FastifyRequest,
  reply: FastifyReply,
  state: SignInState,
): FastifyReply {
  const { email = '', return_to, fault, sent } = state
  const csrf_token = csrfToken(world, request, reply)
  const page = SignInPage({ csrf_token, email, return_to, fault, sent })
  return sendPage(reply, page, { status: fault === undefined ? 200 : 422 })
}

async function trySignIn(
  world: World,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const form = formOf(request)
  const return_to = ownPath(form.return_to)
  const read = identity.readEmail(form.email ?? '')
  const again = (state: Omit<SignInState, 'return_to' | 'email'>) =>
    sendSignIn(world, request, reply, { ...state, email: form.email ?? '', return_to })
  if (!read) return again({ fault: FAULTS.email })
  const claim = { email_normalised: read.email_normalised, ip: request.ip }
  if (form.by === 'sign_in' || form.by === 'set_password') {
    const facts: Record<string, string> = return_to === undefined ? {} : { return_to }
    const sent = await sendEntryLetter(world, { ...claim, kind: form.by, facts })
    return sent === 'sent' ? again({ sent: SENT }) : again({ fault: FAULTS.too_often })
  }
  const signedIn = await signInWithPassword(world, { ...claim, password: form.password ?? '' })
  if (signedIn.outcome !== 'signed_in') return again({ fault: FAULTS[signedIn.outcome] })
  await signIn(world, request, reply, { user_id: signedIn.user_id, app_id: null })
  return goOn(reply, return_to)
}

/**
 * Goes on to what the visitor had begun, by a navigation of its own: it may lead out to an app, and
 * a redirect would be held to the policy of the form before, which lets it lead nowhere but here.
 */
function goOn(reply: FastifyReply, return_to: string | undefined): FastifyReply {
  if (return_to === undefined) return goTo(reply, HOME)
  return sendPage(reply.header('refresh', `0; url=${return_to}`), SignedInPage({ return_to }))
}

function declareLinks(scope: FastifyInstance, world: World): void {
  scope.get('/link/:purpose/:token', async (request, reply) => {
    const { purpose, token } = readLink(request)
    const link = await identity.peekLink(world.db, world.clock.now(), { token, purpose })
    if (!link) return sendPage(reply, SpentLinkPage(), { status: 404 })
    return sendLink(world, request, reply, link, undefined)
  })

  scope.post('/link/:purpose/:token', async (request, reply) => {
    const { purpose, token } = readLink(request)
    const answer: Answer =
      purpose === 'set_password'
        ? { purpose, password: formOf(request).password ?? '' }
        : { purpose }
    const fault = 'password' in answer ? identity.passwordFault(answer.password) : undefined
    if (fault !== undefined) {
      const link = await identity.peekLink(world.db, world.clock.now(), { token, purpose })
      if (link) return sendLink(world, request, reply, link, fault)
    }
    const link = await answerLink(world, token, answer)
    if (!link) return sendPage(reply, SpentLinkPage(), { status: 404 })
    if (purpose === 'not_me') {
      await signOut(world, request, reply)
      return sendPage(reply, LockedPage())
    }
    await signIn(world, request, reply, { user_id: link.user_id, app_id: null })
    return goOn(reply, ownPath(link.return_to ?? undefined))
  })
}

function sendLink(
  world: World,
  request: FastifyRequest,
  reply: FastifyReply,
  link: identity.Link,
  fault: string | undefined,
): FastifyReply {
  const page = LinkPage({
    purpose: link.purpose,
    action: request.url,
    csrf_token: csrfToken(world, request, reply),
    email: link.email,
    fault,
  })
  return sendPage(reply, page, { status: fault === undefined ? 200 : 422, secret_address: true })
}

function readLink(request: FastifyRequest): { purpose: identity.LinkPurpose; token: string } {
  const { purpose, token } = request.params as { purpose: string; token: string }
  if (!PURPOSES.includes(purpose)) throw refuse('not_found')
  return { purpose: purpose as identity.LinkPurpose, token }
}

/** A path of this service to go on to; an address of anybody else's is no path. */
function ownPath(text: string | undefined): string | undefined {
  if (text === undefined || !/^\/(?![/\\])[\x21-\x5b\x5d-\x7e]*$/.test(text)) return undefined
  return text.length <= 2048 ? text : undefined
}
