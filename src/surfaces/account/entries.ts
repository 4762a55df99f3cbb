import type { FastifyInstance, FastifyReply } from 'fastify'
import * as identity from '#domain/identity'
import { changeEmail, changePassword } from '#flows/account'
import type { World } from '#flows/world'
import { faultOf, type Outcome, statusOf, tooOften } from '#http/form-errors'
import { csrfToken } from '#http/form-token'
import { type OwnerContext, requireOwner, SECURITY } from '#http/guards/owner'
import { formOf } from '#http/input'
import { redirectTo, sendPage } from '#http/pages'
import { passwordSentence } from '#http/password-sentence'
import { localeOf } from '#platform/language/request'
import { EmailPage, PasswordPage } from './entry-pages.tsx'

const PASSWORD = `${SECURITY}password`
const EMAIL = `${SECURITY}email`

/** Changes of password and email. */
export function declareEntries(scope: FastifyInstance, world: World): void {
  const password = { recent: true, back: PASSWORD }
  scope.get(PASSWORD, async (request, reply) =>
    sendPassword(world, await requireOwner(world, request, reply, password), undefined),
  )
  scope.post(PASSWORD, async (request, reply) => {
    const context = await requireOwner(world, request, reply, password)
    const chosen = formOf(request).password ?? ''
    const fault = await passwordSentence(chosen, context.session.email, localeOf(request))
    if (fault !== undefined) return await sendPassword(world, context, fault)
    await changePassword(world, context.owner, chosen)
    return redirectTo(reply, `${SECURITY}?done=password`)
  })

  const email = { recent: true, back: EMAIL }
  scope.get(EMAIL, async (request, reply) =>
    sendEmail(world, await requireOwner(world, request, reply, email), { value: '' }),
  )
  scope.post(EMAIL, async (request, reply) => {
    const context = await requireOwner(world, request, reply, email)
    const value = formOf(request).email ?? ''
    const locale = localeOf(request)
    const read = identity.readEmail(value)
    if (!read) return sendEmail(world, context, { value, fault: faultOf('email', locale) })
    if (read.email_normalized === context.session.email_normalized) {
      return sendEmail(world, context, { value, fault: locale.t('account.email_same') })
    }
    const requested = await changeEmail(world, context.owner, read)
    if (requested.outcome !== 'sent')
      return sendEmail(world, context, { value, ...tooOften(requested, locale) })
    return redirectTo(reply, `${SECURITY}?done=email`)
  })
}

async function sendPassword(
  world: World,
  { request, reply, session }: OwnerContext,
  fault: string | undefined,
): Promise<FastifyReply> {
  const user = await identity.getUser(world.db, session.user_id)
  const page = PasswordPage({
    locale: localeOf(request),
    csrf_token: csrfToken(world, request, reply),
    email: session.email,
    is_first: user.password_hash === null,
    fault,
  })
  return sendPage(reply, page, { status: fault === undefined ? 200 : 422 })
}

function sendEmail(
  world: World,
  { request, reply, session }: OwnerContext,
  state: Outcome & { value: string },
): FastifyReply {
  const csrf_token = csrfToken(world, request, reply)
  const { value, fault } = state
  const locale = localeOf(request)
  const page = EmailPage({ locale, csrf_token, email: session.email, value, fault })
  return sendPage(reply, page, statusOf(state))
}
