import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePort } from '../scripts/throwaway-postgres.ts'
import { type Server, startServer } from './processes.ts'

/** By then the threads that filled the demo have ended. */
const IDLE_MS = 45_000

/**
 * The resident set of the demo on the embedded database, in megabytes: after its first start, which
 * fills the database, and after the next, 45 seconds after each.
 */
export async function idleDemo(
  folder: string,
  log: string,
): Promise<{ first_start: number; next_start: number }> {
  const start = async () => {
    const port = await freePort()
    const env = {
      NODE_ENV: 'development',
      DATA_DIR: join(folder, 'demo'),
      PORT: String(port),
      BASE_URL: `http://127.0.0.1:${port}`,
      LOG_LEVEL: 'info',
    }
    const server = await startServer('src/main.ts', env, `${env.BASE_URL}/healthz`, log)
    try {
      await sleep(IDLE_MS)
      return server.residentMb()
    } finally {
      await server.stop()
    }
  }
  const resident = { first_start: await start(), next_start: await start() }
  console.log('\nresident set of the idle demo, in megabytes')
  console.table(resident)
  return resident
}

/** The resident sets of servers after their loads, in megabytes. */
export function memoryOf({ service, bare }: Record<'service' | 'bare', Server>) {
  const resident = { service: service.residentMb(), bare: bare.residentMb() }
  console.log('\nresident set after these loads, in megabytes')
  console.table(resident)
  return resident
}
