import { readFileSync } from 'node:fs'
import type { FastifyInstance, FastifyReply } from 'fastify'
import { favicon } from '#design/brand'
import type { World } from '#flows/world'
import { compressAnswers } from '#http/compression'
import { paramsOf } from '#http/input'
import { refuse } from '#http/refusals'
import { robotsText, securityText, webManifest } from './files.ts'
import { declareImageFiles } from './images.ts'
import { openSitemaps } from './sitemap.ts'
import { declareStatus } from './status.ts'

const DAY_SECONDS = 86_400
const HOUR_SECONDS = 3600

/** The status page, files at fixed addresses (icons, robots.txt, sitemaps), pictures of apps. */
export function publicSite(
  app: FastifyInstance,
  world: World,
  /** The paths of the documentation, for the sitemap. */
  docs: readonly string[],
): void {
  app.register(async (scope) => {
    await compressAnswers(scope)
    declareFiles(scope, world)
    declareSitemaps(scope, world, docs)
  })
  declareStatus(app, world)
  declareImageFiles(app, world)
}

function declareFiles(app: FastifyInstance, world: World): void {
  const { config, clock } = world
  for (const [name, type] of Object.entries(ICONS)) {
    const content = readFileSync(new URL(`./icons/${name}`, import.meta.url))
    app.get(`/${name}`, async (_request, reply) => send(reply, type, content, DAY_SECONDS))
  }
  const drawing = favicon()
  app.get('/favicon.svg', async (_request, reply) =>
    send(reply, 'image/svg+xml', drawing, DAY_SECONDS),
  )
  const manifest = JSON.stringify(webManifest())
  app.get('/site.webmanifest', async (_request, reply) =>
    send(reply, 'application/manifest+json', manifest, DAY_SECONDS),
  )
  const robots = robotsText(config)
  app.get('/robots.txt', async (_request, reply) => send(reply, PLAIN, robots, HOUR_SECONDS))
  app.get('/.well-known/security.txt', async (_request, reply) =>
    send(reply, PLAIN, securityText(clock.now(), config), HOUR_SECONDS),
  )
}

const PLAIN = 'text/plain; charset=utf-8'
const XML = 'application/xml; charset=utf-8'
const ICONS = {
  'favicon.ico': 'image/x-icon',
  'apple-touch-icon.png': 'image/png',
  'icon-192.png': 'image/png',
  'icon-512.png': 'image/png',
}

function send(
  reply: FastifyReply,
  type: string,
  content: string | Buffer,
  seconds: number,
): FastifyReply {
  return reply.header('cache-control', `public, max-age=${seconds}`).type(type).send(content)
}

function declareSitemaps(app: FastifyInstance, world: World, docs: readonly string[]): void {
  const sitemaps = openSitemaps(world, docs)
  app.get('/sitemap.xml', async (_request, reply) =>
    send(reply, XML, await sitemaps.first(), HOUR_SECONDS),
  )
  app.get(SITEMAP, async (request, reply) => {
    const [, page] = /^(\d{1,4})\.xml$/.exec(paramsOf(SITEMAP, request).file) ?? []
    const text = page === undefined ? undefined : await sitemaps.page(Number(page))
    if (text === undefined) throw refuse('not_found')
    return send(reply, XML, text, HOUR_SECONDS)
  })
}

const SITEMAP = '/sitemaps/:file'
