import type { FastifyInstance } from 'fastify'
import type { World } from '#flows/world'
import { paramsOf } from '#http/input'
import { people, sendPage, sendPdf } from '#http/pages'
import { refuse } from '#http/refusals'
import { isLoopback } from '#platform/config'
import { findMailboxEmail, listMailbox } from '#platform/mail'
import { contentPolicy } from '#platform/security-headers'
import { EmailPage, MailboxPage } from './mailbox-pages.tsx'

const MAILBOX = '/dev/mailbox/'
const MESSAGE = `${MAILBOX}:message_id` as const
const HTML = `${MESSAGE}/html` as const
const ATTACHMENT = `${MESSAGE}/:filename` as const

/** An email has inline styles, as mail programs require, and runs nothing. */
const HTML_POLICY = contentPolicy({
  'style-src': ["'unsafe-inline'"],
  'img-src': ["'self'", 'data:'],
  'frame-ancestors': ["'self'"],
  sandbox: ['allow-popups', 'allow-popups-to-escape-sandbox'],
})

/**
 * The development mailbox, which shows what would have been sent when no mail server is configured.
 * It contains everyone's sign-in links, so it only answers requests from this machine.
 */
export function mailbox(app: FastifyInstance, world: World): void {
  if (world.config.production || world.config.smtp_url) return
  const readEmail = async (message_id: string) => {
    const email = await findMailboxEmail(world.db, message_id)
    if (!email) throw refuse('not_found')
    return email
  }
  people(app, world, (scope) => {
    scope.addHook('onRequest', async (request) => {
      if (!isLoopback(request.socket.remoteAddress ?? '')) throw refuse('not_found')
    })
    scope.get(MAILBOX, async (_request, reply) =>
      sendPage(reply, MailboxPage({ emails: await listMailbox(world.db) })),
    )
    scope.get(MESSAGE, async (request, reply) => {
      const { message_id } = paramsOf(MESSAGE, request)
      const email = await readEmail(message_id)
      return sendPage(reply, EmailPage({ email }), { frames: true })
    })
    scope.get(HTML, async (request, reply) => {
      const { message_id } = paramsOf(HTML, request)
      const { html } = await readEmail(message_id)
      return reply
        .headers({ 'content-security-policy': HTML_POLICY, 'cache-control': 'no-store' })
        .type('text/html; charset=utf-8')
        .send(html.replace('<head>', '<head><base target="_blank">'))
    })
    scope.get(ATTACHMENT, async (request, reply) => {
      const { message_id, filename } = paramsOf(ATTACHMENT, request)
      const { attachments } = await readEmail(message_id)
      const attachment = attachments.find((each) => each.filename === filename)
      if (!attachment) throw refuse('not_found')
      return sendPdf(reply, attachment.filename, attachment.content)
    })
  })
}
