import type { World } from '#flows/world'
import { ConfigError, readConfig } from '#platform/config'
import { listenControl } from '#platform/control'
import { environment } from '#platform/env-file'
import { systemRandom } from '#platform/random'
import { answerCommand } from '#surfaces/commands/commands'
import { startDemo } from './demo/start.ts'
import { openService } from './service.ts'

const STOP_WITHIN_MS = 15_000
/** Without a database, running work cannot finish; the next start reconciles it. */
const STOP_WITHOUT_DATABASE_MS = 3_000

/** Opens the service, serves it, and shuts it down on a signal. */
async function main(): Promise<void> {
  const config = readConfig(environment(), systemRandom)
  const service = await openService(config)
  await service.listen()
  const stopCommands = await answerCommands(service.world)
  const demo = config.demo ? await startDemo(service.world) : undefined

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
    await service.close()
    process.exit(0)
  }
  // Background work runs in transactions of its own, so nothing is left half done.
  process.on('unhandledRejection', (error) => {
    service.world.log.error({ error }, 'unhandled rejection')
  })
  process.on('SIGTERM', stop)
  process.on('SIGINT', stop)
  console.log(demo?.text ?? `Purser is ready at ${config.base_url}`)
  if (config.test_mode) console.log(`Test mode: ${config.test_mode.base_url}`)
}

/** On the embedded database, commands have this process do their work. */
async function answerCommands(world: World): Promise<(() => Promise<void>) | undefined> {
  const { database_url, data_dir } = world.config
  if (database_url) return undefined
  return await listenControl(data_dir, world.log, (request) => answerCommand(world, request))
}

main().catch((error: Error & { code?: string; port?: number }) => {
  console.error(sentenceFor(error))
  process.exit(1)
})

/** The reason why the service did not start, as a sentence where an operator can fix it. */
function sentenceFor(error: Error & { code?: string; port?: number }): string {
  if (error instanceof ConfigError) return error.message
  if (error.code === 'EADDRINUSE') {
    return `Port ${error.port} is taken by another program. Choose another with PORT.`
  }
  return error.message.startsWith('Another Purser') ? error.message : String(error.stack)
}
