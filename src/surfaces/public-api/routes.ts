import { z } from 'zod'
import type { World } from '#flows/world'
import { type Answer, type Call, type Endpoint, endpoint } from '#http/endpoint'
import { isCurrent } from '#http/etag'
import { byIp } from '#http/limit-keys'
import { refuse } from '#http/refusals'
import { CACHED, openCatalogCache } from './cache.ts'
import { AppProfile, PricesResponse } from './wire.ts'

const LIMIT = { name: 'public', points: 120, seconds: 60, by: 'caller IP', key: byIp }

const Params = z.strictObject({
  client_id: z.string().describe("The app's public client id, `app_…`."),
})

/** The public endpoints: an app's profile and prices (spec: Public endpoints). */
export async function publicApi(world: World): Promise<Endpoint[]> {
  const cache = await openCatalogCache(world)

  const answer =
    (part: 'profile' | 'prices') =>
    async ({ params, request }: Call<z.infer<typeof Params>>): Promise<Answer> => {
      const entry = cache.kept(params.client_id) ?? (await cache.read(params.client_id))
      // Unknown, unpublished and not enabled apps get the same response, headers included.
      if (!entry) throw refuse('not_found', { headers: CACHED })
      const { json, etag, headers } = entry[part]
      if (isCurrent(request, etag)) return { status: 304, headers }
      return { headers, prepared: json }
    }

  const shared = {
    method: 'GET',
    tag: 'Public',
    auth: 'none',
    cors: true,
    limit: LIMIT,
    params: Params,
    refusals: ['not_found', 'rate_limited'],
  } as const
  return [
    endpoint({
      ...shared,
      refusals: [...shared.refusals],
      path: '/api/v1/public/apps/{client_id}/',
      name: 'getApp',
      summary: "Retrieve an app's profile",
      description:
        'Available only for published apps with external sales enabled. Cached for 60 seconds.',
      answers: { 200: { description: 'The app.', schema: AppProfile } },
      run: answer('profile'),
    }),
    endpoint({
      ...shared,
      refusals: [...shared.refusals],
      path: '/api/v1/public/apps/{client_id}/prices/',
      name: 'getPrices',
      summary: "List an app's prices",
      description:
        'Each price includes its Buy link. A free tier has no price: use `has_free_tier` ' +
        'to show its column. Cached for 60 seconds.',
      answers: { 200: { description: 'The prices.', schema: PricesResponse } },
      run: answer('prices'),
    }),
  ]
}
