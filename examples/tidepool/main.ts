/** Starts the site from environment variables; README.md lists them. */
import { startTidepool } from './server.ts'

const { env } = process
const missing = ['PURSER_URL', 'PURSER_CLIENT_ID', 'PURSER_CLIENT_SECRET'].filter(
  (name) => !env[name],
)
if (missing.length > 0) {
  console.error(`Tidepool needs ${missing.join(', ')} in its environment; see its README.md.`)
  process.exit(1)
}

const tidepool = await startTidepool({
  base_url: env.PURSER_URL ?? '',
  client_id: env.PURSER_CLIENT_ID ?? '',
  client_secret: env.PURSER_CLIENT_SECRET ?? '',
  port: Number(env.PORT ?? 4000),
  host: env.HOST ?? '127.0.0.1',
  public_url: env.TIDEPOOL_URL || undefined,
})
console.log(`Tidepool is open at ${tidepool.url}`)

for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => void tidepool.close())
}
