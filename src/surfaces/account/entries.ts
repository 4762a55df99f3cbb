import type { FastifyInstance, FastifyReply } from 'fastify'
import * as identity from '#domain/identity'
import { changeEmail, changePassword } from '#flows/account'
import type { World } from '#flows/world'
import { csrfToken } from '#surfaces/browser'
import { FAULTS, type Outcome, statusOf, tooOften } from '#surfaces/faults'
import { formOf, goTo, sendPage } from '#surfaces/pages'
import { EmailPage, PasswordPage } from './entry-pages.tsx'
import { forOwner, SECURITY, type Visit } from './owner.ts'

const PASSWORD = `${SECURITY}password`
const EMAIL = `${SECURITY}email`

/** What an owner signs in with: the password and the address. */
export function declareEntries(scope: FastifyInstance, world: World): void {
  const password = { recent: true, back: PASSWORD }
  scope.get(
    PASSWORD,
    forOwner(world, password, async (visit) => await sendPassword(world, visit, undefined)),
  )
  scope.post(
    PASSWORD,
    forOwner(world, password, async (visit) => {
      const chosen = formOf(visit.request).password ?? ''
      const fault = await identity.passwordFault(chosen, visit.session.email)
      if (fault !== undefined) return await sendPassword(world, visit, fault)
      await changePassword(world, visit.owner, chosen)
      return goTo(visit.reply, `${SECURITY}?done=password`)
    }),
  )

  const email = { recent: true, back: EMAIL }
  scope.get(
    EMAIL,
    forOwner(world, email, async (visit) => sendEmail(world, visit, { value: '' })),
  )
  scope.post(
    EMAIL,
    forOwner(world, email, async (visit) => {
      const value = formOf(visit.request).email ?? ''
      const read = identity.readEmail(value)
      if (!read) return sendEmail(world, visit, { value, fault: FAULTS.email })
      if (read.email_normalised === visit.session.email_normalised) {
        return sendEmail(world, visit, { value, fault: 'This is your address already.' })
      }
      const asked = await changeEmail(world, visit.owner, read)
      if (asked.outcome !== 'sent') return sendEmail(world, visit, { value, ...tooOften(asked) })
      return goTo(visit.reply, `${SECURITY}?done=email`)
    }),
  )
}

async function sendPassword(
  world: World,
  { request, reply, session }: Visit,
  fault: string | undefined,
): Promise<FastifyReply> {
  const user = (await identity.findUser(world.db, session.user_id))!
  const page = PasswordPage({
    csrf_token: csrfToken(world, request, reply),
    email: session.email,
    is_first: user.password_hash === null,
    fault,
  })
  return sendPage(reply, page, { status: fault === undefined ? 200 : 422 })
}

function sendEmail(
  world: World,
  { request, reply, session }: Visit,
  state: Outcome & { value: string },
): FastifyReply {
  const csrf_token = csrfToken(world, request, reply)
  const { value, fault } = state
  const page = EmailPage({ csrf_token, email: session.email, value, fault })
  return sendPage(reply, page, statusOf(state))
}
