/**
 * A service in a process of its own, as an operator starts it, but for three things that a fault
 * controls by messages: its clock, its processor, and the step at which it is killed.
 */
import * as payments from '#domain/payments'
import * as payOuts from '#flows/pay-out'
import * as payment from '#flows/payment'
import { reconcileRefunds, refundCharge } from '#flows/refund'
import { changePlan, quotePlanChange, renewDue } from '#flows/subscription'
import type { World } from '#flows/world'
import { type Clock, systemClock } from '#platform/clock'
import { readConfig } from '#platform/config'
import { openPostgres } from '#platform/db-postgres'
import { openLog } from '#platform/log'
import { type Mailer, mailboxMailer, smtpMailer } from '#platform/mail'
import { systemRandom } from '#platform/random'
import { handleEvents } from '#surfaces/processor-events/worker'
import { openService } from '../../src/service.ts'
import type { Command, ProcessorState, RunFacts } from './messages.ts'
import { enterRun, inRun, outside, step, steppingDatabase } from './steps.ts'

/** How long the client of a real processor waits for an answer, shortened. */
const PATIENCE_MS = 1_500

const config = readConfig(process.env, systemRandom)
const log = openLog(config.log_level)
let ahead_ms = Number(process.env.CLOCK_AHEAD_MS ?? 0)
let processor_state: ProcessorState = 'answers'
let armed: { path: string; kill_at: number | undefined } | undefined
let steps: string[] = []

const clock: Clock = { now: () => new Date(systemClock.now().getTime() + ahead_ms) }
const db = steppingDatabase(await openPostgres(config.database_url!, log))
const plain = config.smtp_url
  ? smtpMailer(config.smtp_url, { from: config.mail_from, reply_to: config.operator.support_email })
  : mailboxMailer(db, log)
const mailer: Mailer = {
  ...plain,
  async send(now, message) {
    const dies_at = process.env.DIES_WHILE_SENDING
    if (!dies_at) return await plain.send(now, message)
    if (dies_at === 'before') process.kill(process.pid, 'SIGKILL')
    await plain.send(now, message)
    process.kill(process.pid, 'SIGKILL')
  },
}

const service = await openService(config, {
  db,
  clock,
  log,
  mailer,
  processor: (sandbox) => ({
    ...sandbox,
    charge: (now, request) => reach('charge', () => sandbox.charge(now, request)),
    find: (key) => reach('find', () => sandbox.find(key)),
    close: (now, key) => reach('close', () => sandbox.close(now, key)),
    refund: (now, request) => reach('refund', () => sandbox.refund(now, request)),
    payOut: (now, request) => reach('payout', () => sandbox.payOut(now, request)),
  }),
})

/** A call to the processor in its current state, as the client of a real one reports it. */
async function reach<Answer>(name: string, ask: () => Promise<Answer>): Promise<Answer> {
  if (processor_state === 'answers') return await outside(name, ask)
  if (processor_state === 'is late') await ask()
  if (processor_state !== 'fails') await new Promise((resolve) => setTimeout(resolve, PATIENCE_MS))
  throw new payments.ProcessorUnreachable(processor_state)
}

/** What a process does in the background, one at a time and when the fault asks for it. */
const WORK: Record<RunFacts['work'], (world: World, facts: RunFacts) => Promise<unknown>> = {
  renew: (world) => renewDue(world, { limit: 1 }),
  payout: (world) => payOuts.payWeekly(world),
  refund: (world, { refund }) => refundCharge(world, refund!.actor, refund!.input),
  async upgrade(world, { upgrade }) {
    const { actor, ...wanted } = upgrade!
    const quote = await quotePlanChange(world, wanted)
    if (!quote) return
    const { license_id } = wanted
    const agreed = { license_id, agreement: quote.agreement, return_url: world.config.base_url }
    await changePlan(world, actor, agreed)
  },
  async recover(world) {
    await payment.reconcile(world)
    await reconcileRefunds(world)
    await handleEvents(world)
    await payOuts.reconcilePayouts(world)
    while ((await renewDue(world)) > 0);
    await payOuts.payWeekly(world)
  },
}

process.on('message', async (command: Command) => {
  if (command.kind === 'clock') ahead_ms = command.ahead_ms
  if (command.kind === 'processor') processor_state = command.state
  if (command.kind === 'arm') armed = command
  if (command.kind === 'run') {
    const { facts } = command
    try {
      steps = await inRun(command.kill_at, async () => {
        await step('start')
        await WORK[facts.work](service.world, facts)
      })
    } catch (error) {
      log.error({ error }, 'a run failed')
    }
  }
  process.send!({ kind: 'done', steps })
})

service.app.server.prependListener('request', (request) => {
  if (!armed || request.method !== 'POST' || !request.url?.endsWith(armed.path)) return
  steps = enterRun(armed.kill_at)
  armed = undefined
})

if (process.env.WITHOUT_JOBS === '1') await service.app.listen({ port: config.port })
else await service.listen()
process.on('unhandledRejection', (error) => log.error({ error }, 'unhandled rejection'))
process.on('SIGTERM', async () => {
  await service.drain()
  await service.close()
  await db.close().catch(() => {})
  process.exit(0)
})
console.log('Purser is ready')
