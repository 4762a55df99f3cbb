import type { FastifyInstance } from 'fastify'
import { rotateKey } from '#flows/rotate-key'
import type { World } from '#flows/world'
import { MANAGE_PATH } from '#http/guards/license'
import { formOf } from '#http/input'
import { limitPage, redirectTo, sendPage } from '#http/pages'
import type { Limit } from '#platform/limits'
import { ReplaceKeyPage } from './key-page.tsx'
import {
  buyerOf,
  layoutFacts,
  type ManageContext,
  requireManagedLicense,
} from './license-context.ts'

const ROTATIONS: Limit = { name: 'manage-rotations', points: 10, seconds: 3600 }

/** Replacing a key. Requires a confirmed email. */
export function declareKey(scope: FastifyInstance, world: World): void {
  const path = `${MANAGE_PATH}/key/`
  scope.get(path, async (request, reply) => {
    const context = await requireManagedLicense(world, request, reply)
    if (!mayRotate(context)) return redirectTo(reply, context.at())
    const replaces = context.license.rotated_at?.toISOString() ?? 'the first'
    const page = ReplaceKeyPage({ ...layoutFacts(world, context), replaces })
    return sendPage(reply, page)
  })

  scope.post(path, async (request, reply) => {
    const context = await requireManagedLicense(world, request, reply)
    const { license, at } = context
    if (!mayRotate(context)) return redirectTo(reply, at())
    await limitPage(world, ROTATIONS, license.license_id, reply)
    await rotateKey(world, {
      app_id: license.app_id,
      license_id: license.license_id,
      actor: buyerOf(context),
      // Sending the same form twice replaces one key.
      rotation_key: `manage ${formOf(request).replaces ?? ''}`.slice(0, 64),
      reason: undefined,
    })
    return redirectTo(reply, at('', { done: 'key_replaced' }))
  })
}

function mayRotate({ license, session }: ManageContext): boolean {
  return session.app_id === null && license.status !== 'canceled'
}
