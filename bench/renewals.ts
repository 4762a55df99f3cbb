/**
 * Renews a thousand subscriptions that are due at once, with four workers on one PostgreSQL, and
 * with one: exactly a thousand charges, and how many per second. Each worker has renewed others
 * before. The baseline, right before and after, is a plain transaction of one insert, one after
 * another.
 *
 *   npm run bench:renewals -- --subscriptions 1000 --workers 4
 */

import assert from 'node:assert/strict'
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { performance } from 'node:perf_hooks'
import { fileURLToPath } from 'node:url'
import type { World } from '#flows/world'
import type { AppId, PriceId, ProductId } from '#platform/ids'
import { sql } from '#platform/sql'
import { countFlag } from '../scripts/count-flag.ts'
import { readArguments } from '../scripts/read-arguments.ts'
import { findPostgres, startPostgres } from '../scripts/throwaway-postgres.ts'
import { seedPastSales } from './growth-seed.ts'
import { openSubject, subjectSettings } from './subject.ts'

const USAGE = `Usage: npm run bench:renewals -- --workers 4

Measures renewals that are due at once, with several workers on one PostgreSQL, and with one.

  --subscriptions   how many are due (1000)
  --workers         how many processes renew them (4)`

const { values: chosen } = readArguments(USAGE, {
  options: {
    subscriptions: { type: 'string', default: '1000' },
    workers: { type: 'string', default: '4' },
  },
})
const subscriptions = countFlag('subscriptions', chosen.subscriptions)
const workers = countFlag('workers', chosen.workers)
/** Renewals of each worker before the measured ones: groups for each of its connections. */
const WARM_UP = 2_000
const PLAIN = 2_000
const programs = findPostgres()
if (!programs)
  throw new Error('The benchmark needs a PostgreSQL server (apt-get install postgresql).')
const folder = mkdtempSync(join(tmpdir(), 'purser-bench-'))
const postgres = await startPostgres(programs, ['shared_buffers=256MB'])
try {
  await main()
} finally {
  await postgres.stop()
  rmSync(folder, { recursive: true, force: true })
}

async function main(): Promise<void> {
  const env = { ...(await subjectSettings(postgres.url, folder)), LOG_LEVEL: 'error' }
  const { service, demo } = await openSubject(env)
  const { world } = service
  await world.db.raw('create table yardstick (id bigserial primary key)')
  await seedPastSales(world.db, demo.app.client_id)
  for (const count of new Set([1, workers])) {
    const workers = await startWorkers(count, env)
    // Each connection plans its statements, and each process compiles its functions.
    await seed(world, { app: demo.app, name: `${count}-first-`, count: WARM_UP * count })
    await renewWith(workers)
    await seed(world, { app: demo.app, name: `${count}-`, count: subscriptions })
    await world.db.alone((own) => own.raw('vacuum analyze'))
    const plainBefore = await plainTransactions(world)
    const before = await countCharges(world)
    const { seconds, renewed } = await renewWith(workers)
    assert.equal(renewed, subscriptions, 'each was claimed once')
    assertCharges(before, await countCharges(world))
    const plain = (plainBefore + (await plainTransactions(world))) / 2
    const rate = subscriptions / seconds
    console.log(
      `${count} ${count === 1 ? 'worker' : 'workers'}: ${subscriptions} due, ` +
        `${subscriptions} charges, ${rate.toFixed(0)} renewals per second ` +
        `(${(rate / plain).toFixed(2)} of ${plain.toFixed(0)} plain transactions)`,
    )
    for (const worker of workers) worker.disconnect()
  }
  await service.close()
}

/** Starts worker processes, and waits until each has opened the service. */
async function startWorkers(count: number, env: Record<string, string>): Promise<ChildProcess[]> {
  const file = fileURLToPath(new URL('./renewal-worker.ts', import.meta.url))
  return await Promise.all(
    Array.from({ length: count }, async () => {
      const worker = fork(file, { env: { ...process.env, ...env }, execArgv: process.execArgv })
      await once(worker, 'message')
      return worker
    }),
  )
}

/** Signals all workers at once, and waits until nothing is due. */
async function renewWith(workers: ChildProcess[]): Promise<{ seconds: number; renewed: number }> {
  const start = performance.now()
  const counts = await Promise.all(
    workers.map(async (worker) => {
      const done = once(worker, 'message')
      worker.send('go')
      const [renewed] = await done
      return Number(renewed)
    }),
  )
  const seconds = (performance.now() - start) / 1000
  return { seconds, renewed: counts.reduce((sum, each) => sum + each, 0) }
}

type Counts = Record<'taken' | 'paid' | 'active' | 'due', number>

async function countCharges({ db }: World): Promise<Counts> {
  return await db.one<Counts>(sql`select
    (select count(*) from sandbox.charges where status = 'succeeded') as taken,
    (select count(*) from invoices where status = 'paid' and kind = 'renewal') as paid,
    (select count(*) from licenses where status = 'active' and period_end > now()) as active,
    (select count(*) from subscriptions where next_at <= now()) as due`)
}

/** Every due subscription was charged once, and nothing else was charged. */
function assertCharges(before: Counts, after: Counts): void {
  assert.deepEqual(after, {
    taken: before.taken + subscriptions,
    paid: before.paid + subscriptions,
    active: before.active + subscriptions,
    due: 0,
  })
}

/** Transactions of one insert, one after another, per second. */
async function plainTransactions({ db }: World): Promise<number> {
  const start = performance.now()
  for (let count = 0; count < PLAIN; count++) {
    await db.tx((tx) => tx.run(sql`insert into yardstick default values`))
  }
  return PLAIN / ((performance.now() - start) / 1000)
}

interface Due {
  app: { client_id: AppId; prices: { public_id: PriceId }[] }
  /** Part of every ID. */
  name: string
  count: number
}

/** Subscriptions that were bought a month ago and are due now. */
async function seed({ db }: World, { app, name, count }: Due): Promise<void> {
  const price_id = app.prices[0]!.public_id
  const of = (prefix: string) => `${prefix}_${name}`
  const numbers = sql`generate_series(1, ${count}::bigint) n`
  const then = sql`now() - interval '1 month'`
  await db.tx(async (tx) => {
    const { product_id } = await tx.one<{ product_id: ProductId }>(
      sql`select product_id from prices where id = ${price_id}`,
    )
    await tx.run(sql`insert into users (id, email, email_normalized, created_via, created_at)
      select ${of('usr')} || n, ${name} || n || '@bench.example', ${name} || n || '@bench.example',
        'demo', ${then} from ${numbers}`)
    await tx.run(sql`insert into sandbox.cards (token, brand, last4, exp_month, exp_year,
        billing_country, billing_zip, issuer_country, fingerprint, behavior, created_at, app_name)
      select ${of('tok')} || n, 'visa', '4242', 12, 2040, 'US', '78701', 'US', ${of('fp')} || n,
        'succeeds', ${then}, 'Bench' from ${numbers}`)
    await tx.run(sql`insert into cards (id, user_id, token, brand, last4, exp_month, exp_year,
        billing_country, billing_zip, issuer_country, fingerprint, created_at)
      select ${of('card')} || n, ${of('usr')} || n, ${of('tok')} || n, 'visa', '4242', 12, 2040,
        'US', '78701', 'US', ${of('fp')} || n, ${then} from ${numbers}`)
    await tx.run(sql`insert into licenses (id, app_id, user_id, product_id, status, period_end,
        key_hash, key_sealed, origin, created_at)
      select ${of('lic')} || n, ${app.client_id}, ${of('usr')} || n, ${product_id}, 'active', now(),
        sha256((${name} || n)::bytea), '\\x00', 'purchase', ${then} from ${numbers}`)
    await tx.run(sql`insert into tax_quotes (id, country, state, zip, amount, tax, rule, rate_ppm,
        taxable_ppm, created_at)
      values (${of('quote')}, 'US', 'TX', '78701', 1200, 60, 'bench', 50000, 1000000, ${then})`)
    await tx.run(sql`insert into carts (id, app_id, price_id, browser_hash, brought_by, card,
        created_at, updated_at)
      select ${of('cart')} || n, ${app.client_id}, ${price_id}, '\\x00', 'seller',
        '{"brand": "visa", "last4": "4242"}', ${then}, ${then} from ${numbers}`)
    await tx.run(sql`insert into invoices (id, kind, cart_id, app_id, user_id, license_id, order_id,
        trial_days, period_start, product_id, price_id, tax_quote_id, amount, tax, fee, fixed_fee,
        commission, brought_by, status, created_at, paid_at)
      select ${of('inv')} || n, 'purchase', ${of('cart')} || n, ${app.client_id}, ${of('usr')} || n,
        ${of('lic')} || n, ${of('ord')} || n, 30, ${then}, ${product_id}, ${price_id},
        ${of('quote')}, 0, 0, 0, 0, 0, 'seller', 'paid', ${then}, ${then} from ${numbers}`)
    await tx.run(sql`insert into orders (id, invoice_id, app_id, user_id, license_id, made_account,
        created_at)
      select ${of('ord')} || n, ${of('inv')} || n, ${app.client_id}, ${of('usr')} || n,
        ${of('lic')} || n, false, ${then} from ${numbers}`)
    await tx.run(sql`insert into subscriptions (id, app_id, license_id, order_id, price_id, card_id,
        amount, state, zip, anchor, period_index, period_end, next_at, created_at)
      select ${of('sub')} || n, ${app.client_id}, ${of('lic')} || n, ${of('ord')} || n, ${price_id},
        ${of('card')} || n, 1200, 'TX', '78701', ${then}, 1, now(), now(), ${then}
      from ${numbers}`)
  })
}
