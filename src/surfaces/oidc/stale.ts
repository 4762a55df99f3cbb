import type { FastifyReply } from 'fastify'
import * as apps from '#domain/apps'
import type { World } from '#flows/world'
import { sendPage } from '#http/pages'
import { localeOf } from '#platform/language/request'
import { StalePage } from './consent-pages.tsx'

/** Says that a sign-in has expired or began in another browser, with a link back to its app. */
export async function sendStale(
  { db }: World,
  reply: FastifyReply,
  client_id: unknown,
): Promise<FastifyReply> {
  const client =
    client_id === undefined ? undefined : await apps.findSignInClient(db, String(client_id))
  const page = StalePage({
    locale: localeOf(reply.request),
    app_name: client?.app_name ?? undefined,
    start_url: client?.oauth_login_url ?? undefined,
  })
  return sendPage(reply, page, { status: 400 })
}
