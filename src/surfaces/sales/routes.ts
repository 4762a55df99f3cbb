import type { FastifyInstance } from 'fastify'
import type { World } from '#flows/world'
import { people } from '#http/pages'
import { declareDispute } from './dispute.ts'
import { declareList } from './list.ts'
import { declareRefund } from './refund.ts'
import { declareSale } from './sale.ts'

/**
 * What was sold: an app's bills for its seller, and each bill with its refunds and disputes for
 * seller and staff, every cent of it told.
 */
export function sales(app: FastifyInstance, world: World): void {
  people(app, world, (scope) => {
    declareList(scope, world)
    for (const side of ['seller', 'staff'] as const) {
      declareSale(scope, world, side)
      declareRefund(scope, world, side)
      declareDispute(scope, world, side)
    }
  })
}
