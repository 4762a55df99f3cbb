import cluster from 'node:cluster'
import type { World } from '#flows/world'
import { type Config, ConfigError, readConfig } from '#platform/config'
import { listenControl } from '#platform/control'
import { environment } from '#platform/env-file'
import { tightenHeap } from '#platform/heap'
import { type Log, openLog, originOf } from '#platform/log'
import { missingRight } from '#platform/open-database'
import { systemRandom } from '#platform/random'
import { answerRunning } from '#surfaces/commands/running'
import { READY, superviseProcesses } from './cluster.ts'
import { openService, type Service } from './service.ts'

const STOP_WITHIN_MS = 20_000
/** Without a database, running work cannot finish; the next start reconciles it. */
const STOP_WITHOUT_DATABASE_MS = 3_000

/** Runs the service in this process, or in the child processes that the settings ask for. */
async function main(): Promise<void> {
  const env = environment()
  const config = readConfig(env, systemRandom)
  // The SDK of OpenTelemetry reads the standard variables from the environment only.
  for (const [name, value] of Object.entries(env)) {
    if (name.startsWith('OTEL_') && value) process.env[name] ??= value
  }
  if (config.workers === 1 || cluster.isWorker) return await serve(config)
  const log = openLog(config.log_level, undefined, { origin: originOf(config) })
  const exit_code = await superviseProcesses(config.workers, log, () => {
    report(config, log, readyText(config))
  })
  process.exit(exit_code)
}

const SIGNALS = ['SIGTERM', 'SIGINT'] as const

/** Opens the service, serves it, and shuts it down on a signal. */
async function serve(config: Config): Promise<void> {
  // A start has nothing to finish. The first process of a container gets no signal without this.
  const endStart = () => process.exit(0)
  for (const signal of SIGNALS) process.on(signal, endStart)
  const service = await openService(config)
  await service.listen()
  const stopCommands = await answerCommands(service)
  const demo = config.demo ? await showDemo(service.world) : undefined

  let stopping = false
  const stop = async (signal: string) => {
    if (stopping) return
    stopping = true
    service.world.log.info({ signal }, 'stopping: open requests are answered first')
    setTimeout(() => process.exit(1), STOP_WITHIN_MS).unref()
    service.world.readiness.check().then((isReady) => {
      if (!isReady) setTimeout(() => process.exit(1), STOP_WITHOUT_DATABASE_MS).unref()
    })
    await stopCommands?.()
    await demo?.close()
    await service.drain()
    await service.close()
    process.exit(0)
  }
  // Background work runs in transactions of its own, so nothing is left half done.
  process.on('unhandledRejection', (error) => {
    service.world.log.error({ error }, 'unhandled rejection')
  })
  for (const signal of SIGNALS) process.off(signal, endStart).on(signal, stop)
  await tightenHeap()
  if (cluster.isWorker) return void cluster.worker?.send(READY)
  const texts = [(!config.production && demo?.text) || readyText(config)]
  if (config.test_mode) texts.push(`Test mode: ${config.test_mode.base_url}`)
  for (const text of texts) report(config, service.world.log, text)
}

/** Prints a text for the person who started the service; production has lines of the log only. */
function report({ production }: Config, log: Log, text: string): void {
  if (production) log.info(text)
  else console.log(text)
}

/** Starts the demo, whose sites and libraries no other service loads. */
async function showDemo(world: World) {
  const { startDemo } = await import('./demo/start.ts')
  return await startDemo(world)
}

function readyText(config: Config): string {
  const { role, base_url, host, port, production, smtp_url, workers } = config
  const processes = workers > 1 ? ` (${workers} processes)` : ''
  if (role === 'worker') {
    return `Purser is ready: background work, with http://${host}:${port}/readyz${processes}`
  }
  const emails = production || smtp_url ? '' : `\nEmails: ${base_url}/dev/mailbox/`
  return `Purser is ready at ${base_url}${processes}${emails}`
}

/** On the embedded database, commands have this process do their work. */
async function answerCommands(service: Service): Promise<(() => Promise<void>) | undefined> {
  const { database_url, data_dir } = service.world.config
  if (database_url) return undefined
  let test: World | undefined
  void service.test_mode?.then(({ world }) => {
    test = world
  })
  const worlds = { live: service.world, test: () => test }
  return await listenControl(data_dir, service.world.log, (request) =>
    answerRunning(worlds, request),
  )
}

type StartError = Error & NodeJS.ErrnoException & { port?: number; hostname?: string }

main().catch((error: StartError) => {
  console.error(sentenceFor(error))
  process.exit(1)
})

/** The reason why the service did not start, as a sentence where an operator can fix it. */
function sentenceFor(error: StartError): string {
  if (error instanceof ConfigError) return error.message
  const { METRICS_PORT, METRICS_HOST, WORKERS = 1 } = environment()
  const { port, hostname } = error
  // Each process of a node has a port of its own for its figures.
  const place = Number(port) - Number(METRICS_PORT || Number.NaN)
  const isMetrics = hostname ? hostname === METRICS_HOST : place >= 0 && place < Number(WORKERS)
  const prefix = isMetrics ? 'METRICS_' : ''
  if (error.code === 'EADDRINUSE') {
    return `Port ${port} is taken by another program. Choose another with ${prefix}PORT.`
  }
  // An address of another machine, a name without an address, a port that needs more rights.
  if (/^(listen|bind|getaddrinfo)$/.test(error.syscall ?? '')) {
    return `${prefix}HOST, ${prefix}PORT: cannot be listened on: ${error.message}.`
  }
  return missingRight(error) ?? String(error.stack)
}
