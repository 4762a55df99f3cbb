import type { FastifyInstance } from 'fastify'
import * as payments from '#domain/payments'
import type { World } from '#flows/world'
import { people, sendPage } from '#http/pages'
import { addSeconds } from '#platform/calendar'
import { isAnyUnsentSince } from '#platform/email-queue'
import { type PartStatus, StatusPage } from './status-page.tsx'

const LATE_SECONDS = 600
const FRESH_MS = 15_000

/** The status page: whether each part of the service works, without its internals. */
export function declareStatus(app: FastifyInstance, world: World): void {
  let known: { at: number; parts: Promise<PartStatus[]> } | undefined
  const read = () => {
    const at = performance.now()
    if (!known || at - known.at > FRESH_MS) known = { at, parts: statusOf(world) }
    return known.parts
  }
  const declare = (scope: FastifyInstance) => {
    scope.get('/status/', async (_request, reply) => {
      const parts = await read()
      const { base_url } = world.config
      return sendPage(reply, StatusPage({ base_url, parts, at: world.clock.now() }))
    })
  }
  people(app, world, declare, { compressed: true })
}

/** The status of each part; without the database, nothing else is known. */
export async function statusOf({ db, clock, readiness }: World): Promise<PartStatus[]> {
  const service = { part: 'service', works: true } as const
  if (!(await readiness.check())) return [service, { part: 'database', works: false }]
  const late = addSeconds(clock.now(), -LATE_SECONDS)
  return [
    service,
    { part: 'database', works: true },
    { part: 'payments', works: !(await payments.isAnyOpenSince(db, late)) },
    { part: 'emails', works: !(await isAnyUnsentSince(db, late)) },
  ]
}
