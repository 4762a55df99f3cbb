import type { FastifyInstance } from 'fastify'
import type { World } from '#flows/world'
import { people } from '#http/pages'
import { declareConfirm } from './confirm.ts'
import { declareConnections } from './connections.ts'
import { declareEntries } from './entries.ts'
import { declareFactors } from './factors.ts'
import { declareOverview } from './overview.ts'

/** The safety of an account: how its owner signs in, who else is, and what apps and agents hold. */
export function account(app: FastifyInstance, world: World): void {
  people(app, world, (scope) => {
    declareOverview(scope, world)
    declareConfirm(scope, world)
    declareEntries(scope, world)
    declareFactors(scope, world)
    declareConnections(scope, world)
  })
}
