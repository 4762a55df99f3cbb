import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { VNode } from 'preact'
import { renderPage } from '#design/layout'
import * as apps from '#domain/apps'
import type { World } from '#flows/world'
import { paramsOf } from '#http/input'
import { byIp } from '#http/limit-keys'
import { markOf, pageHeaders } from '#http/pages'
import { refuse } from '#http/refusals'
import { ClaimPage, ClaimPreviewPage } from './claim-page.tsx'

const LIMIT = { name: 'claim', points: 30, seconds: 60 }
const PATH = '/claim/:token'
const SECRET = { 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' }

/**
 * Programs that load a link because a person pasted it into a chat or an email, and that send no
 * header that says so. Any other program may be the one that stores the secret.
 */
const PREVIEWERS = [
  'Applebot/',
  'BingPreview/',
  'Discordbot/',
  'facebookexternalhit/',
  'GoogleImageProxy',
  'LinkedInBot/',
  'Mattermost-Bot/',
  'SkypeUriPreview',
  'Slack-ImgProxy',
  'Slackbot',
  'Synapse (bot;',
  'TelegramBot',
  'Twitterbot/',
  'WhatsApp/',
]

/**
 * The claim URL of a new client secret, which works once (spec: regenerate_client_secret). HEAD
 * requests, prefetching browsers and link previews do not use it up.
 */
export function declareClaim(app: FastifyInstance, world: World): void {
  const { db, clock, keys } = world
  const route = {
    config: { limits: [{ ...LIMIT, key: byIp }] },
    onRequest: async (_request: FastifyRequest, reply: FastifyReply) => {
      reply.headers(SECRET)
    },
  }
  const tokenOf = (request: FastifyRequest) => paramsOf(PATH, request).token

  app.head(PATH, route, async (request, reply) => {
    if (isPreviewer(request)) return sendHtml(reply, ClaimPreviewPage())
    if (!(await apps.isClaimable(db, clock.now(), tokenOf(request)))) throw refuse('unknown_claim')
    return reply.send()
  })

  app.get(PATH, { ...route, exposeHeadRoute: false }, async (request, reply) => {
    if (isReadingAhead(request)) throw refuse('not_read_ahead')
    // The same answer for a link that does not exist.
    if (isPreviewer(request)) return sendHtml(reply, ClaimPreviewPage())
    const client_secret = await apps.takeClaim(db, clock.now(), keys, tokenOf(request))
    if (client_secret === undefined) throw refuse('unknown_claim')
    if (request.headers.accept?.includes('text/html')) {
      return sendHtml(reply, ClaimPage({ client_secret }))
    }
    return reply.type('text/plain; charset=utf-8').send(client_secret)
  })
}

function sendHtml(reply: FastifyReply, page: VNode): FastifyReply {
  return reply
    .headers({ ...pageHeaders(), ...SECRET })
    .type('text/html; charset=utf-8')
    .send(renderPage(page, markOf(reply.server)))
}

function isPreviewer({ headers }: FastifyRequest): boolean {
  return PREVIEWERS.some((name) => headers['user-agent']?.includes(name))
}

function isReadingAhead({ headers }: FastifyRequest): boolean {
  const purposes = [headers['sec-purpose'], headers.purpose, headers['x-moz'], headers['x-purpose']]
  return purposes.flat().some((each) => /prefetch|prerender|preview/i.test(each ?? ''))
}
