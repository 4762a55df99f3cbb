import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import * as grants from '#domain/grants'
import * as licensing from '#domain/licensing'
import type { World } from '#flows/world'
import type { Db } from '#platform/db'
import { type AppId, type IdPrefix, mintId, type ProductId, type UserId } from '#platform/ids'
import { mintSecret } from '#platform/secrets'
import { sql } from '#platform/sql'
import type { DemoFacts } from '../src/demo/seed.ts'
import { seedPastSales } from './growth-seed.ts'

/** The requests of the load, one file each. */
export interface Requests {
  validate: string
  orders: string
  entitlement: string
  prices: string
}

// The number of distinct keys and orders in the load; other licenses only add volume.
const ASKED_FOR = 20_000
const BATCH = 2000

/** Fills the database with licenses and writes requests for some of them. */
export async function seed(
  world: World,
  demo: DemoFacts,
  facts: { licenses: number; folder: string },
): Promise<Requests> {
  const { db } = world
  const sold = await seedPastSales(db, demo.app.client_id, facts.licenses)
  const weight = Math.max(0, facts.licenses - ASKED_FOR - sold)
  await db.tx((tx) => fill(tx, demo.app.client_id, weight), { patient: true })
  const validate: string[] = []
  const orders: string[] = []
  const entitlement: string[] = []
  for (let done = 0; done < Math.min(ASKED_FOR, facts.licenses); done += BATCH) {
    await db.tx(async (tx) => {
      for (let index = 0; index < BATCH; index++) {
        const { license_key, order_id, user_id } = await sell(world, tx, demo)
        const token = await grantToken(world, tx, { client_id: demo.app.client_id, user_id })
        entitlement.push(`GET /licensing/entitlement/ Bearer ${token}`)
        const reference = licensing.signReference(world.keys, world.clock.now(), {
          client_id: demo.app.client_id,
          order_id,
        })
        validate.push(`POST /api/v1/licenses/validate ${JSON.stringify({ key: license_key })}`)
        orders.push(`GET /api/v1/orders/${reference}`)
      }
    })
  }
  await db.alone((own) => own.raw('vacuum analyze'))
  const write = (name: string, lines: string[]) => {
    const file = join(facts.folder, `${name}.txt`)
    writeFileSync(file, `${lines.join('\n')}\n`)
    return file
  }
  return {
    validate: write('validate', validate),
    orders: write('orders', orders),
    entitlement: write('entitlement', entitlement),
    prices: write('prices', [`GET /api/v1/public/apps/${demo.app.client_id}/prices/`]),
  }
}

/**
 * Licenses that are never looked up: their keys are random hashes. No trigger runs for them, so
 * that millions take minutes; they are in no list and no figure.
 */
async function fill(tx: Db, app_id: AppId, count: number): Promise<void> {
  await tx.raw('set local session_replication_role = replica')
  await tx.run(sql`insert into users (id, email, email_normalized, created_via, created_at)
    select 'usr_weight' || n, n || '@weight.example', n || '@weight.example', 'demo', now()
    from generate_series(1, ${count}::bigint) n`)
  await tx.run(sql`insert into licenses (id, app_id, user_id, product_id, status, period_end,
      key_hash, key_sealed, origin, created_at)
    select 'lic_weight' || n, ${app_id}, 'usr_weight' || n, p.id, 'active',
      now() + interval '30 days', sha256(('weight' || n)::bytea), '\\x00', 'purchase', now()
    from generate_series(1, ${count}::bigint) n,
      (select id from products where app_id = ${app_id} and not is_free limit 1) p`)
}

async function sell({ keys, random, clock }: World, tx: Db, demo: DemoFacts) {
  const now = clock.now()
  const app_id = demo.app.client_id
  const price_id = demo.app.prices[0]!.public_id
  const id = <Prefix extends IdPrefix>(prefix: Prefix) => mintId(random, prefix)
  const [user_id, license_id, order_id] = [id('usr'), id('lic'), id('ord')]
  const [cart_id, quote_id, invoice_id] = [id('cart'), id('quote'), id('inv')]
  const { product_id } = await tx.one<{ product_id: ProductId }>(
    sql`select product_id from prices where id = ${price_id}`,
  )
  const email = `${user_id}@bench.example`
  await tx.run(sql`insert into users (id, email, email_normalized, created_via, created_at)
    values (${user_id}, ${email}, ${email}, 'demo', ${now})`)
  const license = { license_id, app_id, user_id, product_id, status: 'active' as const }
  const bought = { ...license, period_end: now, trigger: 'purchase' as const }
  await licensing.mint(tx, now, { keys, random }, bought)
  const { key_sealed } = await tx.one<{ key_sealed: Buffer }>(
    sql`select key_sealed from licenses where id = ${license_id}`,
  )
  const license_key = licensing.showKey(keys, { license_id, key_sealed })
  await tx.run(sql`insert into tax_quotes (id, country, state, zip, amount, tax, rule, rate_ppm,
      taxable_ppm, created_at)
    values (${quote_id}, 'US', 'OR', '97365', 1200, 0, 'bench', 0, 0, ${now})`)
  await tx.run(sql`insert into carts (id, app_id, price_id, browser_hash, brought_by, order_id,
      created_at, updated_at)
    values (${cart_id}, ${app_id}, ${price_id}, '\\x00', 'seller', ${order_id}, ${now}, ${now})`)
  await tx.run(sql`insert into invoices (id, number, kind, cart_id, app_id, user_id, license_id,
      order_id, trial_days, period_index, period_start, product_id, price_id, tax_quote_id, amount,
      tax, fee, fixed_fee, commission, brought_by, status, created_at, paid_at)
    values (${invoice_id}, nextval('invoice_numbers'), 'purchase', ${cart_id}, ${app_id},
      ${user_id}, ${license_id}, ${order_id}, 0, 1, ${now}, ${product_id}, ${price_id},
      ${quote_id}, 1200, 0, 110, 50, 0, 'seller', 'paid', ${now}, ${now})`)
  await tx.run(sql`insert into invoice_lines (invoice_id, position, kind, amount)
    values (${invoice_id}, 1, 'price', 1200)`)
  await tx.run(sql`insert into orders (id, invoice_id, app_id, user_id, license_id, made_account,
      created_at)
    values (${order_id}, ${invoice_id}, ${app_id}, ${user_id}, ${license_id}, false, ${now})`)
  return { license_key, order_id, user_id }
}

/** An access token, as hosted sign-in would have stored it. */
async function grantToken(
  { random, clock }: World,
  tx: Db,
  facts: { client_id: string; user_id: UserId },
): Promise<string> {
  const token = mintSecret(random)
  await grants.saveRecord(
    tx,
    clock.now(),
    { kind: 'AccessToken', name: token },
    {
      ...facts,
      payload: {},
      grant: undefined,
      session_uid: undefined,
      scope: grants.DEFAULT_SCOPES.join(' '),
      audience: undefined,
      life: 86_400,
    },
  )
  return token
}
