import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { createTransport } from 'nodemailer'
import type SMTPPool from 'nodemailer/lib/smtp-pool'
import { SMTPServer } from 'smtp-server'
import { readConfig } from '#platform/config'
import { MAX_CONNECTIONS } from '#platform/mail'
import { systemRandom } from '#platform/random'
import type { DemoFacts } from '../src/demo/seed.ts'
import { openService } from '../src/service.ts'
import { Agent } from '../test/support/agent.ts'
import { purchaseSteps, untilSent } from './checkout-steps.ts'

/** Each sends two emails, one of them with an invoice. */
const PURCHASES = 150
/** How long the mail server takes for a message, as one elsewhere does. */
const ANSWER_MS = 150

/**
 * The emails of purchases that a process sends in a second, beside the bare library, which sends
 * the same messages over as many connections.
 */
export async function emails(
  env: Record<string, string>,
  demo: DemoFacts,
): Promise<{ service: number; bare: number; ratio: number }> {
  const mail = await openMailServer()
  const config = readConfig({ ...env, LOG_LEVEL: 'warn', SMTP_URL: mail.url }, systemRandom)
  const { world, app, close } = await openService(config)
  for (let index = 0; index < PURCHASES; index++) {
    const buyer = new Agent(app, world.config.base_url, { address: `10.8.0.${index}` })
    for (const [, run] of purchaseSteps(demo, `emailed${index}`)) await run(buyer)
  }
  const service = await rateOf(mail.messages, async () => {
    await world.jobs.start()
    await untilSent(world)
  })
  await close()
  const bare = await rateOf(mail.messages, () => sendAgain(mail.url, [...mail.messages]))
  mail.close()
  const result = { service, bare, ratio: Math.round((service / bare) * 1000) / 1000 }
  console.log(`\nemails, per second, to a mail server that takes ${ANSWER_MS} ms`)
  console.table(result)
  return result
}

/** How many messages arrive in a second while something is done. */
async function rateOf(messages: unknown[], work: () => Promise<void>): Promise<number> {
  const [before, began] = [messages.length, performance.now()]
  await work()
  const seconds = (performance.now() - began) / 1000
  return Math.round(((messages.length - before) / seconds) * 10) / 10
}

async function sendAgain(url: string, messages: Buffer[]): Promise<void> {
  const settings: SMTPPool.Options = { url, pool: true, maxConnections: MAX_CONNECTIONS }
  const transport = createTransport(settings)
  const envelope = { from: 'receipts@bench.example', to: 'buyer@bench.example' }
  await Promise.all(messages.map((raw) => transport.sendMail({ envelope, raw })))
  transport.close()
}

/** A mail server that keeps every message. */
async function openMailServer() {
  const messages: Buffer[] = []
  const server = new SMTPServer({
    disabledCommands: ['AUTH', 'STARTTLS'],
    onData(stream, _session, done) {
      const parts: Buffer[] = []
      stream.on('data', (part: Buffer) => parts.push(part))
      stream.on('end', () => {
        messages.push(Buffer.concat(parts))
        setTimeout(done, ANSWER_MS)
      })
    },
  })
  server.listen(0, '127.0.0.1')
  await once(server.server, 'listening')
  const { port } = server.server.address() as AddressInfo
  return { url: `smtp://127.0.0.1:${port}`, messages, close: () => server.close() }
}
