import type { FastifyInstance } from 'fastify'
import { resendByStaff } from '#flows/staff-actions'
import { forReports, type World } from '#flows/world'
import { type ActionNote, noteFor } from '#http/action-note'
import { withQuery } from '#http/address'
import { csrfToken } from '#http/form-token'
import { requireStaff, staffActor } from '#http/guards/staff'
import { formOf, queryOf } from '#http/input'
import { redirectTo, sendPage } from '#http/pages'
import { pageOf } from '#http/pagination'
import { listEmails } from '#platform/email-log'
import { readId } from '#platform/ids'
import { EmailsPage } from './emails-page.tsx'
import { cursorText, ON_A_PAGE, readCursor } from './paging.ts'

const HOME = '/admin/emails/'

/** The email log: what was sent to whom, what failed, and resending a failed email. */
export function declareEmails(scope: FastifyInstance, world: World): void {
  const reporting = forReports(world)
  scope.get(HOME, async (request, reply) => {
    const { role } = await requireStaff(reporting, request, reply, HOME, 'emails')
    const filter = filterOf(queryOf(request, 'recipient'), queryOf(request, 'state'))
    const { recipient, state } = filter
    const cursor = readCursor('email', request)
    const found = await listEmails(reporting.db, reporting.clock.now(), {
      recipient: recipient === '' ? undefined : recipient.toLowerCase(),
      state,
      below: cursor && { queued_at: cursor.at, id: cursor.id },
      limit: ON_A_PAGE + 1,
    })
    if (cursor && found.length === 0) {
      return redirectTo(reply, withQuery(HOME, { ...filter, done: queryOf(request, 'done') }))
    }
    const { rows: emails, ...addresses } = pageOf(found, {
      size: ON_A_PAGE,
      path: HOME,
      query: filter,
      is_first: !cursor,
      belowOf: ({ queued_at, id }) => cursorText(queued_at, id),
    })
    const page = EmailsPage({
      csrf_token: csrfToken(world, request, reply),
      role,
      recipient,
      state,
      below: queryOf(request, 'below'),
      emails,
      ...addresses,
      note: noteFor(request, NOTES),
    })
    return sendPage(reply, page)
  })

  scope.post(`${HOME}resend`, async (request, reply) => {
    const context = await requireStaff(world, request, reply, HOME, 'emails')
    const form = formOf(request)
    const id = readId('email', form.email_id)
    const isDone = id !== undefined && (await resendByStaff(world, staffActor(context), id))
    const place = { ...filterOf(form.recipient, form.state), below: form.below }
    return redirectTo(reply, withQuery(HOME, { ...place, done: isDone ? 'resent' : 'nothing' }))
  })
}

/** The filter in the address of the list, or in a form that returns to it. */
function filterOf(recipient = '', state?: string) {
  return {
    recipient: recipient.trim().slice(0, 320),
    state: state === 'failed' ? ('failed' as const) : undefined,
  }
}

const NOTES: Record<string, ActionNote> = {
  resent: { tone: 'success', text: 'The email is being sent again.' },
  nothing: { tone: 'warning', text: 'No change: it was sent, or is still being retried.' },
}
