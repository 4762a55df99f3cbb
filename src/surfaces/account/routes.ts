import type { FastifyInstance } from 'fastify'
import type { World } from '#flows/world'
import { people } from '#http/pages'
import { declareConfirm } from './confirm.ts'
import { declareConnections } from './connections.ts'
import { declareDeletion } from './deletion.ts'
import { declareEntries } from './entries.ts'
import { declareFactors } from './factors.ts'
import { requireLiveMode } from './live-mode.ts'
import { declareOverview } from './overview.ts'
import { declareProfile } from './profile.ts'

/** Profile, data export and deletion; sign-in methods, sessions, connected apps and agents. */
export function account(app: FastifyInstance, world: World): void {
  people(app, world, (scope) => {
    requireLiveMode(scope, world)
    declareOverview(scope, world)
    declareConfirm(scope, world)
    declareEntries(scope, world)
    declareFactors(scope, world)
    declareConnections(scope, world)
    declareProfile(scope, world)
    declareDeletion(scope, world)
  })
}
