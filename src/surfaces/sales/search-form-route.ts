import type { FastifyInstance } from 'fastify'
import type { World } from '#flows/world'
import { withQuery } from '#http/address'
import { requireAppSales, SIDES } from '#http/guards/seller-or-staff'
import { redirectTo } from '#http/pages'
import { searchOf } from '#http/search'
import { withoutKey } from './list-search.ts'

/**
 * Declares the form of a list's search. It is posted and leads to the address of its results, which
 * people can keep and share: proxies log addresses, and a search may contain a license key.
 */
export function declareSearchForm<Name extends string>(
  scope: FastifyInstance,
  world: World,
  { name, fields }: { name: string; fields: readonly Name[] },
): void {
  const config = { changes_nothing: true }
  scope.post(`${SIDES.seller}/${name}/search`, { config }, async (request, reply) => {
    const { app, base } = await requireAppSales(world, request, reply, 'view')
    const search = await withoutKey(world, app, searchOf(request, fields))
    return redirectTo(reply, withQuery(`${base}/${name}/`, search))
  })
}
