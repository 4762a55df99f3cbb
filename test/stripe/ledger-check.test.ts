import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { test } from 'node:test'
import { sql } from '#platform/sql'
import { buyer, TEXAS } from '../support/purchase.ts'
import { createReopenableDatabase } from '../support/reopenable-database.ts'
import { openTestService } from '../support/service.ts'
import { SECRET_KEY, StripeDouble, WEBHOOK_SECRET } from '../support/stripe-double.ts'

/** Runs the program of an operator; its status and what it prints. */
function checkLedger(settings: Record<string, string>): Promise<{ status: number; out: string }> {
  const program = ['--import', './scripts/register-tsx.mjs', 'scripts/ledger-check.ts']
  const env = { PATH: process.env.PATH, ...settings, NODE_ENV: 'test' }
  return new Promise((resolve) => {
    execFile(process.execPath, program, { env }, (error, out) =>
      resolve({ status: Number(error?.code ?? 0), out }),
    )
  })
}

test('npm run ledger:check compares the books with Stripe, and reports where it was unreachable', async (t) => {
  const double = await StripeDouble.open(() => new Date())
  const database = await createReopenableDatabase()
  t.after(async () => {
    await double.close()
    await database.drop()
  })
  const stripe = {
    STRIPE_SECRET_KEY: SECRET_KEY,
    STRIPE_WEBHOOK_SECRET: WEBHOOK_SECRET,
    STRIPE_API_BASE: double.url,
  }
  const db = await database.open()
  const service = await openTestService({ db, settings: { ...database.settings, ...stripe } })
  const agent = buyer(service)
  await agent.open(`/buy/${service.demo.app.prices[0]!.public_id}/`)
  const away = await agent.submit('Continue', { email: 'robin.books@example.com', ...TEXAS })
  await agent.open(double.enterCard(away.url.split('/').at(-1)!, '4242424242424242', '78701'))
  await agent.submit(/^Pay /)
  const { id } = await service.world.db.one<{ id: string }>(sql`select id from charges`)
  await service.close()

  const settings = { ...database.settings, ...stripe }
  const sound = await checkLedger(settings)
  assert.deepEqual([sound.status, sound.out.split('\n').at(-2)], [0, 'The books agree.'])
  assert.match(sound.out, / charges at the processor: 1\./)

  const [payment] = double.state.all('payment_intent', () => true)
  payment!.amount_received = 1
  const wrong = await checkLedger(settings)
  assert.equal(wrong.status, 1)
  assert.match(wrong.out, new RegExp(`^${id}: a charge is one that the processor made: `))

  double.fault = 503
  const unreached = await checkLedger(settings)
  assert.equal(unreached.status, 1)
  assert.match(unreached.out, /^stripe: the books were compared with the processor: Stripe did not/)
})
