import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from '#platform/sql'
import { TEST_BANK_ACCOUNTS } from '../../src/sandbox/banks.ts'
import { TEST_CARDS } from '../../src/sandbox/index.ts'
import { openWorld } from './world.ts'

const CVC = '7391'

const world = await openWorld()

/** Everything that the sandbox's tables contain, as text. */
async function everyTable(): Promise<string[]> {
  const tables = await world.db.rows<{ name: string }>(
    sql`select table_name as name from information_schema.tables where table_schema = 'sandbox'`,
  )
  assert.ok(tables.length >= 3)
  const rows = tables.map(({ name }) => world.db.raw(`select * from sandbox.${name}`))
  return (await Promise.all(rows)).map((table) => JSON.stringify(table.rows))
}

/** Numbers and CVCs on the portal, and account numbers on the page of a payee; good and faulty. */
async function peoplesPages(): Promise<string[]> {
  const { token: card_token } = await world.enterCard()
  const about = { app_name: 'Harbor', email: 'buyer@example.com', return_url: '/manage/' }
  const portal = await world.sandbox.openPortal(world.now(), { ...about, card_token })
  const payee = { owner: 'sel_1', email: 'seller@example.com' }
  const { account_id } = await world.sandbox.openAccount(world.now(), payee)
  const request = { account_id, return_url: '/dashboard/' }
  const { url } = await world.sandbox.openOnboarding(world.now(), request)
  const pages: string[] = []
  for (const { number } of TEST_CARDS) {
    const form = { number, cvc: CVC.slice(0, 3), zip: '94107' }
    pages.push((await world.post(portal.url, { ...form, expiry: '01 / 20' })).body)
    pages.push((await world.post(portal.url, { ...form, expiry: '04 / 30' })).body)
  }
  for (const account_number of TEST_BANK_ACCOUNTS.keys()) {
    pages.push((await world.post(url, { account_number, routing_number: account_number })).body)
    pages.push((await world.post(url, { account_number, routing_number: '110000000' })).body)
  }
  return pages
}

test('no table, log line or page contains a card number, a CVC or an account number', async () => {
  const pages = await peoplesPages()
  for (const { number, brand } of TEST_CARDS) {
    const cvc = brand === 'amex' ? CVC : CVC.slice(0, 3)
    const { id, url } = await world.openEntry()
    const faulty = { number, cvc, expiry: '01 / 20', zip: 'none' }
    pages.push((await world.post(url, faulty)).body)
    pages.push((await world.post(url, { ...faulty, expiry: number, zip: number })).body)
    pages.push((await world.post(url, { ...faulty, expiry: '04 / 30', zip: '94107' })).body)
    const card = await world.sandbox.readCardEntry(id)
    await world.charge(card!.token).catch(() => {})
    pages.push(JSON.stringify(card))
  }
  // A bug in the middle of an entry: even then nothing of the card is shown.
  const { url } = await world.openEntry()
  await world.db.raw('alter table sandbox.cards rename column brand to gone')
  const broken = await world.post(url, {
    number: TEST_CARDS[0]!.number,
    expiry: '04 / 30',
    cvc: CVC.slice(0, 3),
    zip: '94107',
  })
  assert.equal(broken.statusCode, 500)
  assert.match(broken.body, /Something went wrong on our side/)
  pages.push(broken.body)

  assert.ok(world.lines.length > TEST_CARDS.length)
  const examples = /4242 4242 4242 4242|account\s+number 000123456789|account such as 000123456789/g
  const output = [...(await everyTable()), ...world.lines, ...pages]
    .map((text) => text.replaceAll(examples, ''))
    .join('\n')
  for (const { number } of TEST_CARDS) {
    const spaced = new RegExp([...number].join('[\\s-]?'))
    assert.ok(!spaced.test(output), 'a card number was shown')
  }
  for (const account of TEST_BANK_ACCOUNTS.keys()) {
    assert.ok(!output.includes(account), 'an account number was shown')
  }
  assert.ok(!/\b7391?\b/.test(output), 'a CVC was shown')
})
