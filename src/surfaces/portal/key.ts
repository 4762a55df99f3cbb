import type { FastifyInstance } from 'fastify'
import { rotateKey } from '#flows/rotate-key'
import type { World } from '#flows/world'
import type { Limit } from '#platform/limits'
import { formOf, goTo, limitPage, sendPage } from '#surfaces/pages'
import { forHolder, frameOf, type HolderVisit } from './holder.ts'
import { ReplaceKeyPage } from './key-page.tsx'

const ROTATIONS: Limit = { name: 'manage-rotations', points: 10, seconds: 3600 }

/** Replacing a key that may have got into wrong hands. Only whoever proved the mailbox may. */
export function declareKey(scope: FastifyInstance, world: World): void {
  const path = '/manage/:client_id/key/'
  scope.get(
    path,
    forHolder(world, async (visit) => {
      if (!mayRotate(visit)) return goTo(visit.reply, visit.at())
      const replaces = visit.license.rotated_at?.toISOString() ?? 'the first'
      const page = ReplaceKeyPage({ ...(await frameOf(world, visit)), replaces })
      return sendPage(visit.reply, page)
    }),
  )

  scope.post(
    path,
    forHolder(world, async (visit) => {
      const { request, reply, license, session, at } = visit
      if (!mayRotate(visit)) return goTo(reply, at())
      await limitPage(world, ROTATIONS, license.license_id, reply)
      await rotateKey(world, {
        app_id: license.app_id,
        license_id: license.license_id,
        actor: session.user_id,
        // The same form sent twice replaces one key.
        rotation_key: `manage ${formOf(request).replaces ?? ''}`.slice(0, 64),
        reason: undefined,
        request_id: request.id,
      })
      return goTo(reply, at('', { done: 'key_replaced' }))
    }),
  )
}

function mayRotate({ license, session }: HolderVisit): boolean {
  return session.app_id === null && license.status !== 'canceled'
}
