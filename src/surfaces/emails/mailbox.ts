import type { FastifyInstance } from 'fastify'
import type { World } from '#flows/world'
import { isLoopback } from '#platform/config'
import { findMailboxEmail, listMailbox } from '#platform/mail'
import { people, sendPage, sendPdf } from '#surfaces/pages'
import { refuse } from '#surfaces/refusals'
import { EmailPage, MailboxPage } from './mailbox-pages.tsx'

/**
 * The development mailbox: what would have been mailed, while no mail server is set. It holds
 * everybody's sign-in links, so it answers this machine alone.
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
    scope.get('/dev/mailbox/', async (_request, reply) =>
      sendPage(reply, MailboxPage({ emails: await listMailbox(world.db) })),
    )
    scope.get('/dev/mailbox/:message_id', async (request, reply) => {
      const { message_id } = request.params as { message_id: string }
      return sendPage(reply, EmailPage({ email: await readEmail(message_id) }))
    })
    scope.get('/dev/mailbox/:message_id/:filename', async (request, reply) => {
      const { message_id, filename } = request.params as { message_id: string; filename: string }
      const { attachments } = await readEmail(message_id)
      const paper = attachments.find((each) => each.filename === filename)
      if (!paper) throw refuse('not_found')
      return sendPdf(reply, paper.filename, paper.content)
    })
  })
}
