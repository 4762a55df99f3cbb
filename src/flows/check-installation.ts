import { type Config, ConfigError, isLiveKey } from '#platform/config'
import type { Database } from '#platform/db'
import { type MoneyMode, moneyOf, setMoney } from '#platform/installation'
import { sql } from '#platform/sql'

const REMEDY = 'Set DATABASE_URL (or DATA_DIR) to an empty database for it.'

/**
 * Refuses settings that do not fit the money in this database: live and test money are never mixed,
 * and test clocks exist in the sandbox only. Throws a ConfigError that names the remedy.
 */
export async function checkMoney(db: Database, { stripe }: Pick<Config, 'stripe'>): Promise<void> {
  if (stripe) await refuseTestClocks(db)
  const money: MoneyMode = stripe && isLiveKey(stripe.secret_key) ? 'live' : 'test'
  const { has_orders, has_sandbox } = await db.one<Record<'has_orders' | 'has_sandbox', boolean>>(
    sql`select exists (select 1 from orders) as has_orders,
      exists (select 1 from charges where processor = 'sandbox') as has_sandbox`,
  )
  const known = has_sandbox ? 'test' : await moneyOf(db)
  if (has_orders && known && known !== money) throw mixed(known)
  await setMoney(db, money)
}

function mixed(known: MoneyMode): ConfigError {
  return new ConfigError(
    known === 'test'
      ? `STRIPE_SECRET_KEY: a live key is refused, as this database contains test-mode sales. ${REMEDY}`
      : `STRIPE_SECRET_KEY: this database contains live sales and accepts a live key only. ${REMEDY}`,
  )
}

async function refuseTestClocks(db: Database): Promise<void> {
  const ahead = await db.rows<{ name: string }>(
    sql`select name from apps where clock_ahead > 0 order by name limit 3`,
  )
  if (ahead.length === 0) return
  const names = ahead.map(({ name }) => name).join(', ')
  throw new ConfigError(
    `STRIPE_SECRET_KEY: the test clock of ${names} is ahead of time, which only the sandbox can ` +
      `serve. ${REMEDY}`,
  )
}
