import type { FastifyInstance } from 'fastify'
import * as grants from '#domain/grants'
import type { ReadSigningKeys } from '#flows/signing-keys'
import type { World } from '#flows/world'
import { people } from '#http/pages'
import { declareContinue } from './continue.ts'
import { declareInteractions } from './interactions.ts'
import { openLibrary } from './library.ts'
import { mountLibrary } from './mount.ts'
import { declareSignOut } from './sign-out.ts'

const EVERY_TEN_MINUTES = '*/10 * * * *'

/** Hosted sign-in: OpenID Connect under /o, with pages of our own (spec: OpenID Connect). */
export function oidc(app: FastifyInstance, world: World, readKeys: ReadSigningKeys): void {
  const { db, clock, jobs, stopping } = world
  const library = openLibrary(world, readKeys)
  mountLibrary(app, library)
  declareSignOut(app, world, library)
  people(app, world, (scope) => {
    declareInteractions(scope, world, library)
    declareContinue(scope, world, library)
  })
  // The keys are made at the first start, and not while the first person waits.
  app.addHook('onListen', async () => {
    await library()
  })
  jobs.schedule('forget-hosted-sign-ins', EVERY_TEN_MINUTES, async () => {
    await grants.sweepRecords(db, clock.now(), stopping)
    await grants.sweepKeys(db, clock.now())
  })
}
