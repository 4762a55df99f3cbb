import type { FastifyInstance } from 'fastify'
import * as licensing from '#domain/licensing'
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
    const page = ReplaceKeyPage({
      ...layoutFacts(world, context),
      replaces: licensing.keyName(context.license),
    })
    return sendPage(reply, page)
  })

  scope.post(path, async (request, reply) => {
    const context = await requireManagedLicense(world, request, reply)
    const { license, at } = context
    if (!mayRotate(context)) return redirectTo(reply, at())
    const { replaces = '' } = formOf(request)
    // The key that the form is about was replaced, however long ago.
    if (replaces !== licensing.keyName(license))
      return redirectTo(reply, at('', { done: 'key_replaced' }))
    await limitPage(world, ROTATIONS, license.license_id, reply)
    const { outcome } = await rotateKey(world, {
      app_id: license.app_id,
      license_id: license.license_id,
      actor: buyerOf(context),
      // Sending the same form twice at once replaces one key.
      rotation_key: `manage ${replaces}`,
      reason: undefined,
    })
    return redirectTo(reply, at('', { done: outcome === 'rotated' ? 'key_replaced' : 'not_done' }))
  })
}

function mayRotate({ license, session }: ManageContext): boolean {
  return session.app_id === null && license.status !== 'canceled'
}
