/** Starts the site from environment variables; README.md lists them. */
import { startDriftlog } from './server.ts'

const { env } = process
const needed = ['PURSER_URL', 'PURSER_CLIENT_ID', 'PURSER_CLIENT_SECRET', 'PURSER_PAID_PRODUCTS']
const missing = needed.filter((name) => !env[name])
if (missing.length > 0) {
  console.error(`Driftlog needs ${missing.join(', ')} in its environment; see its README.md.`)
  process.exit(1)
}

const driftlog = await startDriftlog({
  base_url: env.PURSER_URL ?? '',
  client_id: env.PURSER_CLIENT_ID ?? '',
  client_secret: env.PURSER_CLIENT_SECRET ?? '',
  paid_products: (env.PURSER_PAID_PRODUCTS ?? '').split(',').map((id) => id.trim()),
  port: Number(env.PORT ?? 4000),
  host: env.HOST ?? '127.0.0.1',
  public_url: env.DRIFTLOG_URL || undefined,
})
console.log(`Driftlog is open at ${driftlog.url}`)

for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => void driftlog.close())
}
