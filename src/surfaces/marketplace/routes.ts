import type { FastifyInstance, FastifyRequest } from 'fastify'
import * as apps from '#domain/apps'
import * as identity from '#domain/identity'
import type { World } from '#flows/world'
import { recordReferrer } from '#http/attribution'
import { APP_PATH, requireSeller } from '#http/guards/seller'
import { paramsOf } from '#http/input'
import { people, sendPage } from '#http/pages'
import { refuse } from '#http/refusals'
import { HomePage } from './home-page.tsx'
import { productPage } from './product.ts'
import { findApps } from './search.ts'
import { homeData } from './structured-data.ts'

/** The home page, the product pages, and their previews for sellers. */
export function marketplace(app: FastifyInstance, world: World): void {
  const declare = (scope: FastifyInstance) => {
    scope.get('/', async (request, reply) => {
      await recordReferrer(world, request, reply)
      const results = await findApps(world, request)
      // Staff work in live mode.
      const needs_staff = !world.live && !(await identity.hasStaff(world.db))
      const { base_url, operator } = world.config
      const structured_data = homeData(base_url, operator)
      return sendPage(reply, HomePage({ needs_staff, base_url, structured_data, results }))
    })

    scope.get(PRODUCT, async (request, reply) => {
      const app = await readApp(world, request)
      await recordReferrer(world, request, reply, app.id)
      return sendPage(reply, await productPage(world, app))
    })

    scope.get(`${APP_PATH}/preview/`, async (request, reply) => {
      const { app } = await requireSeller(world, request, reply, 'view')
      return sendPage(reply, await productPage(world, app, { is_preview: true }))
    })
  }
  people(app, world, declare, { compressed: true })
}

const PRODUCT = '/apps/:slug/'

async function readApp({ db }: World, request: FastifyRequest): Promise<apps.App> {
  const { slug } = paramsOf(PRODUCT, request)
  const app = await apps.findPublishedBySlug(db, slug)
  if (!app) throw refuse('not_found')
  return app
}
