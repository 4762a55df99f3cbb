import type { FastifyInstance } from 'fastify'
import type { World } from '#flows/world'
import { people } from '#http/pages'
import { declareCard } from './card.ts'
import { declareKey } from './key.ts'
import { declareManage } from './manage.ts'
import { declarePaying } from './paying.ts'
import { declarePlan } from './plan.ts'
import { declarePurchases } from './purchases.ts'
import { declareReceipts } from './receipts.ts'
import { declareRenewal } from './renewal.ts'

/** A buyer's purchases, and the manage page of each app (spec: manage links). */
export function portal(app: FastifyInstance, world: World): void {
  people(app, world, (scope) => {
    declarePurchases(scope, world)
    declareManage(scope, world)
    declarePlan(scope, world)
    declareRenewal(scope, world)
    declareKey(scope, world)
    declareCard(scope, world)
    declarePaying(scope, world)
    declareReceipts(scope, world)
  })
}
