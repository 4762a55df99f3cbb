import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import { setTimeout as wait } from 'node:timers/promises'
import { liveModeOf } from '#flows/test-mode'
import type { World } from '#flows/world'
import { type Config, ConfigError } from '#platform/config'
import type { Log } from '#platform/log'
import { answerHeaders } from '#platform/security-headers'
import type { Observer } from '#platform/telemetry/observer'
import type { TestModeSettings } from '#platform/test-mode-settings'
import { type OpenWorld, openWorld, type Parts } from './open-world.ts'
import { configOfTestMode, missingDatabase } from './test-mode-config.ts'

/** The test mode beside a live world, which is opened and served without it. */
export interface TestModeService {
  /** Answers the requests to its host, and leaves the others to live mode. */
  serve(live: RequestListener): RequestListener
  /** Opens its world beside the live one, in the background, until that succeeds. */
  open(live: World, observer: Observer | undefined): void
  /** Starts its jobs, as soon as it is open, until that succeeds. */
  start(): void
  /** Its world, once that is open. */
  opened: Promise<OpenWorld>
  /** After the last request: closes what is open. */
  close(): Promise<void>
}

const RETRY_MS = 5_000
const RETRY_AFTER_SECONDS = 10

/**
 * The test mode of these settings. An error there, or a database that is down, is logged and tried
 * again; live mode neither waits for it nor fails with it.
 */
export function openTestMode(
  config: Config,
  settings: TestModeSettings,
  parts: Parts,
): TestModeService {
  const hosts = hostsOf(settings.base_url)
  const headers = answerHeaders(settings.base_url.startsWith('https:'))
  const stopping = new AbortController()
  const opened = Promise.withResolvers<OpenWorld>()
  let open: OpenWorld | undefined
  let attempts: Promise<void> = Promise.resolve()
  let started: Promise<void> = Promise.resolve()
  return {
    opened: opened.promise,
    serve: (live) => (request, response) => {
      if (!hosts.has((request.headers.host ?? '').toLowerCase())) live(request, response)
      else if (open) open.app.answer(request, response)
      else answerUnavailable(request, response, headers)
    },
    open(live, observer) {
      const log = live.log.child({ mode: 'test' })
      const beside = { mode: liveModeOf(live), seller_terms_version: live.seller_terms_version }
      const failed = 'test mode cannot be opened; will try again'
      attempts = retry(log, failed, stopping.signal, async () => {
        const { clock, random } = live
        const own = configOfTestMode(config, settings)
        open = await openWorld(
          own,
          { clock, random, log, ...parts },
          {
            live: beside,
            drain: live.drain,
            observer,
          },
        )
        opened.resolve(open)
      })
    },
    start() {
      void opened.promise.then(({ world }) => {
        const failed = 'the jobs of test mode cannot be started; will try again'
        started = retry(world.log, failed, stopping.signal, () => world.jobs.start())
      })
    },
    async close() {
      stopping.abort()
      await attempts
      await started
      await open?.stopServing()
      await open?.close()
    },
  }
}

/** How a Host header names an origin: with or without the port that its scheme implies. */
function hostsOf(base_url: string): Set<string> {
  const { host, hostname, port, protocol } = new URL(base_url)
  return new Set([
    host,
    ...(port === '' ? [`${hostname}:${protocol === 'https:' ? 443 : 80}`] : []),
  ])
}

async function retry(
  log: Log,
  failed: string,
  stopping: AbortSignal,
  work: () => Promise<void>,
): Promise<void> {
  while (!stopping.aborted) {
    try {
      await work()
      return
    } catch (error) {
      log.error({ error: readable(error) }, failed)
      await wait(RETRY_MS, undefined, { signal: stopping }).catch(() => {})
    }
  }
}

/** The reason, with what an operator can do about it. */
function readable(error: unknown): unknown {
  const missing = missingDatabase(error)
  return missing === undefined ? error : new ConfigError(missing)
}

/** Without its world there is no page to answer with. */
function answerUnavailable(
  request: IncomingMessage,
  response: ServerResponse,
  headers: Record<string, string>,
): void {
  const message = 'Test mode is temporarily unavailable. Try again in a few seconds.'
  const isPage = (request.headers.accept ?? '').includes('text/html')
  response.writeHead(503, {
    ...headers,
    'content-type': `${isPage ? 'text/plain' : 'application/json'}; charset=utf-8`,
    'cache-control': 'no-store',
    'retry-after': String(RETRY_AFTER_SECONDS),
  })
  response.end(isPage ? message : JSON.stringify({ error: 'service_unavailable', message }))
}
