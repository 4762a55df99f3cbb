import type { RequestListener } from 'node:http'
import type { FastifyInstance } from 'fastify'
import type { World } from '#flows/world'
import type { Config } from '#platform/config'
import { openLog, originOf } from '#platform/log'
import { createPlainServer } from '#platform/shortcuts'
import { openTelemetry } from '#platform/telemetry/open'
import { type OpenWorld, openWorld, type Parts } from './open-world.ts'
import { openTestMode } from './test-mode.ts'

export type { Parts } from './open-world.ts'

/** A running service: its world, its server, and how to stop it. */
export interface Service {
  world: World
  app: FastifyInstance
  /** The test mode beside live mode, once it is open; undefined without one. */
  test_mode: Promise<OpenWorld> | undefined
  /** Starts accepting requests and the background work of its role. */
  listen(): Promise<void>
  /** Before `close`: not ready from now on; resolves when proxies send no more requests. */
  drain(): Promise<void>
  /** Finishes open requests and running jobs, then closes everything. */
  close(): Promise<void>
}

/** What a test replaces, of the service and of the test mode beside it. */
export interface ServiceParts extends Parts {
  test_mode?: Parts
}

/**
 * Opens the world of these settings and, where they ask for it, a world of test mode beside it.
 * Both are served on one port by their host; requests are accepted after `listen`. A worker node
 * answers health checks only.
 */
export async function openService(config: Config, parts: ServiceParts = {}): Promise<Service> {
  const { test_mode: test_parts = {}, ...live_parts } = parts
  const test_mode = config.test_mode && openTestMode(config, config.test_mode, test_parts)
  const serve = config.role === 'worker' ? undefined : test_mode?.serve
  let log = live_parts.log
  const telemetry = await openTelemetry(config, (error, what) => {
    log?.warn({ error }, `${what} were not accepted by the collector`)
  })
  const { context, sendLine: copy } = telemetry ?? {}
  log ??= openLog(config.log_level, undefined, { origin: originOf(config), context, copy })
  const beside = {
    observer: telemetry?.of('live'),
    server_factory:
      serve &&
      ((answer: RequestListener, limits: Record<string, unknown>) =>
        createPlainServer(serve(answer), limits)),
  }
  const live = await openWorld(config, { ...live_parts, log }, beside)
  const { world, app } = live
  if (config.production && !config.database_url) {
    const what = 'the embedded database does not wait for the disk'
    world.log.warn(`no DATABASE_URL: ${what}, so a power failure loses sales`)
  }
  if (config.production && !config.stripe) {
    world.log.warn('no STRIPE_SECRET_KEY: no real money is taken or paid')
  }
  test_mode?.open(world, telemetry?.of('test'))
  return {
    world,
    app,
    test_mode: test_mode?.opened,
    async listen() {
      await telemetry?.listen()
      await app.listen({ port: config.port, host: config.host })
      await world.jobs.start()
      test_mode?.start()
    },
    drain: () => world.drain.run(),
    async close() {
      // The server is the live world's: it waits for the requests to test mode too.
      await live.stopServing()
      await test_mode?.close()
      await live.close()
      await telemetry?.close()
    },
  }
}
