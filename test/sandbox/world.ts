import { randomUUID } from 'node:crypto'
import { after } from 'node:test'
import type { CardEntryRequest, ChargeAnswer, ChargeRequest } from '#domain/payments'
import { addDays } from '#platform/calendar'
import { createServer } from '#platform/http'
import { readLanguages } from '#platform/language/languages'
import { openLog } from '#platform/log'
import { cents } from '#platform/money'
import { systemRandom } from '#platform/random'
import { keyRing } from '#platform/secrets'
import { sql } from '#platform/sql'
import { buildAssets } from '../../scripts/build-assets.ts'
import { openSandbox } from '../../src/sandbox/index.ts'
import { openTestDatabase } from '../support/database.ts'

const BASE_URL = 'https://purser.example'

export const NOON = new Date('2026-03-10T12:00:00Z')

/** What a buyer types where nothing is said about it. */
export const FORM = { number: '4242 4242 4242 4242', expiry: '04 / 30', cvc: '123', zip: '94107' }

const ENTRY: CardEntryRequest = {
  app_name: 'Harbor',
  product_name: 'Harbor Pro',
  email: 'buyer@example.com',
  summary: ['$12.75 today', 'then $12.75 a month'],
  figures: {
    amount: cents(1200),
    frequency: 'month',
    items: [{ label: 'Harbor Pro', amount: cents(1200) }],
    subtotal: cents(1200),
    tax: cents(75),
    tax_label: 'Sales tax (CA)',
    deduction: { label: 'Free trial', amount: cents(-1275) },
    total: cents(0),
    renewal: 'Free for 14 days, then $12.75 per month.',
  },
  zip: '94107',
  return_url: `${BASE_URL}/checkout/cart_1/confirm`,
  back_url: `${BASE_URL}/checkout/cart_1/details`,
}

/** A sandbox with tables of its own, its pages, and a clock that is set by hand, for one file. */
export async function openWorld() {
  const world = await openPlace()
  after(world.close)
  return world
}

/** The same, for the caller to close. */
export async function openPlace() {
  await buildAssets()
  const db = await openTestDatabase()
  const time = { now: NOON }
  const clock = { now: () => time.now }
  const keys = keyRing([Buffer.alloc(32, 7)])
  const lines: string[] = []
  const log = openLog('debug', { write: (line) => lines.push(line) })
  const app = createServer({ log, random: systemRandom, secure: true, trusted_proxies: [] })
  const sandbox = openSandbox({ db, random: systemRandom, clock, keys, base_url: BASE_URL })
  app.decorate('languages', readLanguages())
  sandbox.declareRoutes(app)
  await app.ready()
  const close = async () => {
    await app.close()
    await db.close()
  }

  const path = (url: string) => url.replace(BASE_URL, '')
  const get = (url: string) => app.inject({ url: path(url) })
  const post = (url: string, form: Record<string, string>, headers: Record<string, string> = {}) =>
    app.inject({
      method: 'POST',
      url: path(url),
      headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
      payload: new URLSearchParams(form).toString(),
    })
  const openEntry = () => sandbox.openCardEntry(time.now, ENTRY)

  return {
    db,
    sandbox,
    close,
    now: clock.now,
    lines,
    entry: ENTRY,
    get,
    post,
    openEntry,
    /** Lets time pass. */
    pass(ms: number) {
      time.now = new Date(time.now.getTime() + ms)
    },
    /** Enters a card as a buyer does, and returns what the service learns of it. */
    async enterCard(form: Partial<typeof FORM> = {}) {
      const { id, url } = await openEntry()
      const answer = await post(url, { ...FORM, ...form })
      if (answer.statusCode !== 303) throw new Error(`no card was taken: ${answer.body}`)
      return (await sandbox.readCardEntry(id))!
    },
    /** Lets days pass. */
    passDays(days: number) {
      time.now = addDays(time.now, days)
    },
    /** A charge of $12.75 that worked, on a fresh card, and what is asked about it later. */
    async charged(number: string) {
      const { id, url } = await openEntry()
      await post(url, { ...FORM, number })
      const card = (await sandbox.readCardEntry(id))!
      const answer = await sandbox.charge(time.now, requestFor(card.token))
      if (answer.status !== 'succeeded') throw new Error(`the charge is ${answer.status}`)
      return { charge_id: answer.charge_id, card }
    },
    refund: (charge_id: string, amount = 1275) =>
      sandbox.refund(time.now, { key: `ref_${randomUUID()}`, charge_id, amount: cents(amount) }),
    /** The sandbox's events since the last call, acknowledged. */
    async receive() {
      const received = await sandbox.events(time.now)
      for (const { id } of received) await sandbox.acknowledge(id)
      return received
    },
    /** Asks for money, under a new key unless one is given. */
    charge(card_token: string, facts: Partial<ChargeRequest> = {}): Promise<ChargeAnswer> {
      return sandbox.charge(time.now, { ...requestFor(card_token), ...facts })
    },
    closeKey: (key: string) => sandbox.close(time.now, key),
    /** Every request on record, in the order of their making. */
    charges: () =>
      db.rows<{ key: string; status: string; amount: number }>(
        sql`select key, status, amount from sandbox.charges`,
      ),
  }
}

/** A request for $12.75 while the buyer is there, under a key of its own. */
export function requestFor(card_token: string): ChargeRequest {
  return {
    key: `att_${randomUUID()}`,
    amount: cents(1275),
    currency: 'usd',
    card_token,
    description: 'Invoice inv_1',
    off_session: false,
    return_url: `${BASE_URL}/checkout/cart_1/confirmed`,
  }
}
