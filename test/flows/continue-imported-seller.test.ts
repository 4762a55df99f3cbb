import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import * as identity from '#domain/identity'
import * as licensing from '#domain/licensing'
import { addDays, isoDate } from '#platform/calendar'
import type { ProductId } from '#platform/ids'
import { sql } from '#platform/sql'
import { textOf } from '../support/agent.ts'
import { CARD } from '../support/cards.ts'
import { continueWithCard, type ImportedBuyer, storedOf } from '../support/imported-buyer.ts'
import { checkedImport, paidProducts, runChecked } from '../support/imports.ts'
import { assertInvariantsAndClose } from '../support/invariants.ts'
import { emailTo } from '../support/mailbox.ts'
import { buyer, chargedAmounts } from '../support/purchase.ts'
import { signedIn } from '../support/seller.ts'
import { openTestService, type TestService } from '../support/service.ts'
import { signInAs } from '../support/sign-in.ts'
import { passDays, stateOf } from '../support/subscriber.ts'

const HEADING = 'id,product_name,user_email,status,renews_at,key'
const APP = '/dashboard/apps/tidepool'

let service: TestService
let product_id: ProductId
let other_id: ProductId
before(async () => {
  service = await openTestService()
  await service.world.jobs.start()
  ;[product_id, other_id] = (await paidProducts(service)) as [ProductId, ProductId]
})
after(() => assertInvariantsAndClose(service))

interface Row {
  id: string
  days: number
  status?: string
}

/** The file of a buyer at the former service, paid until a number of days from now. */
function fileOf({ id, days, status = 'active' }: Row): string {
  const end = isoDate(addDays(service.clock.now(), days))
  return [HEADING, [id, 'Tides', `${id}@example.com`, status, end, `key-${id}`].join(',')].join(
    '\n',
  )
}

/** Imports a row, and returns the report. */
async function importRow(row: Row, facts: { notifies?: boolean; plan?: ProductId } = {}) {
  const { notifies = false, plan = product_id } = facts
  const wanted = { source: 'lemon_squeezy', file: fileOf(row), product_id: plan } as const
  const { id } = await checkedImport(service, wanted)
  return await runChecked(service, id, { notifies })
}

/** The buyer of an imported row, signed in. */
async function buyerOf(id: string): Promise<ImportedBuyer> {
  const { world, demo } = service
  const email = `${id}@example.com`
  const { id: user_id } = (await identity.findByEmail(world.db, email))!
  const holder = { app_id: demo.app.client_id, email_normalized: email }
  const license = (await licensing.findLive(world.db, holder))!
  return {
    agent: await signInAs(service, { user_id }, { agent: buyer(service) }),
    email,
    user_id,
    license_id: license.license_id,
    license_key: licensing.showKey(world.keys, license),
    former_key: `key-${id}`,
    product_id: license.product_id,
    price_id: demo.app.prices[0]!.public_id,
    app: demo.app,
  }
}

const remindersTo = async (email: string) =>
  (
    await service.world.db.rows<{ text: string }>(sql`select text from dev_mailbox
      where recipient = ${email} and subject like 'Your Tidepool Pro ends on %'`)
  ).length

describe('a newer file', () => {
  for (const [what, row, plan] of [
    ['with a later end', { days: 60 }, undefined],
    ['with another plan', { days: 20 }, 'other'],
    ['in which it ended', { days: -1, status: 'expired' }, undefined],
  ] as const) {
    test(`${what} changes no license that its buyer continued`, async () => {
      const id = `newer-${what.replaceAll(' ', '-')}`
      await importRow({ id, days: 20 })
      const own = await buyerOf(id)
      await continueWithCard(own)
      const [state, stored] = [await stateOf(service, own), await storedOf(service, own)]
      const { counts } = await importRow(
        { id, ...row },
        plan === undefined ? {} : { plan: other_id },
      )
      assert.deepEqual(counts, row.status === undefined ? { owned: 1 } : { over: 1 })
      assert.deepEqual(await stateOf(service, own), state)
      assert.deepEqual(await storedOf(service, own), stored)
    })
  }

  test('changes nothing while the card of the buyer is checked', async () => {
    await importRow({ id: 'checked', days: 20 })
    const own = await buyerOf('checked')
    await continueWithCard(own, CARD.asks_always)
    assert.deepEqual((await importRow({ id: 'checked', days: 60 })).counts, { buying: 1 })
    const ended = { id: 'checked', days: -1, status: 'expired' }
    assert.deepEqual((await importRow(ended)).counts, { buying: 1 })
    await own.agent.submit('Complete authentication')
    assert.equal((await storedOf(service, own)).orders, 1)
  })
})

describe('the buyer of an imported license', () => {
  test('gets an email that offers to continue, and one reminder a week before the end', async () => {
    await importRow({ id: 'notified', days: 20 }, { notifies: true })
    const own = await buyerOf('notified')
    const message = await emailTo(service, own.email, /has moved/)
    assert.match(message, /Continue with a card/)
    await passDays(service, 13)
    assert.equal(await remindersTo(own.email), 0)
    await passDays(service, 2)
    const reminder = await emailTo(service, own.email, /^Your Tidepool Pro ends on /)
    assert.match(reminder, new RegExp(`/manage/${own.app.client_id}/`))
    await passDays(service, 3)
    await emailTo(service, own.email, /^Your Tidepool Pro ends on /)
    assert.equal(await remindersTo(own.email), 1)
    // Their session has expired.
    await continueWithCard(await buyerOf('notified'))
    await passDays(service, 4)
    assert.deepEqual(await chargedAmounts(service, own.email), [0, 1260])
  })

  test('is not reminded if they continued, or the seller sends no emails', async () => {
    await importRow({ id: 'continued', days: 20 }, { notifies: true })
    await importRow({ id: 'silent', days: 20 })
    await continueWithCard(await buyerOf('continued'))
    await passDays(service, 20)
    await emailTo(service, 'continued@example.com', /has moved/)
    const sent = [
      await remindersTo('continued@example.com'),
      await remindersTo('silent@example.com'),
    ]
    assert.deepEqual(sent, [0, 0])
  })
})

describe('the seller', () => {
  test('sees who continued: on their page, among the subscriptions and in the report', async () => {
    const { id } = await importRow({ id: 'seen', days: 20 })
    const own = await buyerOf('seen')
    await continueWithCard(own)
    const seller = await signedIn(service, service.demo.seller)
    const textAt = async (path: string) => textOf((await seller.twin().open(`${APP}/${path}`)).body)
    const customer = await textAt(`customers/${own.license_id}/`)
    assert.match(customer, /Imported .+ Renews .+/)
    assert.match(customer, /the buyer continued the imported license with a card/)
    assert.match(await textAt('subscriptions/'), /seen@example\.com/)
    assert.match(await textAt(`import/${id}/`), /Continued with a card [1-9]/)
    const { invoice_id } = await service.world.db.one<{ invoice_id: string }>(sql`
      select invoice_id from orders where license_id = ${own.license_id}`)
    const sale = await textAt(`sales/${invoice_id}/`)
    assert.match(sale, /Paid at the previous provider/)
    const refund = await textAt(`sales/${invoice_id}/refund/`)
    assert.match(refund, /This invoice was not charged, so it cannot be refunded\./)
  })
})
