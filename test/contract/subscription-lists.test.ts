import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import * as billing from '#domain/billing'
import * as metrics from '#domain/metrics'
import * as payments from '#domain/payments'
import { setAutoRenew } from '#flows/subscription'
import { type Agent, textOf } from '../support/agent.ts'
import { addCode } from '../support/discounts.ts'
import { exportBy } from '../support/exports.ts'
import { assertInvariantsAndClose } from '../support/invariants.ts'
import { listedEmails, openList } from '../support/open-list.ts'
import { type Bought, buy, refund, sellerActor } from '../support/refunds.ts'
import { signedIn } from '../support/seller.ts'
import { openTestService, type TestService } from '../support/service.ts'

const APP = '/dashboard/apps/tidepool'

let service: TestService
let sellers: Agent
let monthly: Bought
let yearly: Bought
let lifetime: Bought
let refunded: Bought
before(async () => {
  service = await openTestService()
  monthly = await buy(service)
  service.clock.pass(86_400)
  yearly = await buy(service, { price: 1 })
  service.clock.pass(86_400)
  lifetime = await buy(service, { price: 2 })
  refunded = await buy(service)
  await refund(service, refunded)
  const { license_id } = yearly
  await setAutoRenew(service.world, await sellerActor(service), { license_id, to: 'off' })
  sellers = await signedIn(service, service.demo.seller)
})
after(() => assertInvariantsAndClose(service))

const pageAt = (path: string) => openList(sellers, `${APP}/${path}`)
const listed = (path: string) => listedEmails(sellers, `${APP}/${path}`)

/** Every page of a list, read one row at a time. */
async function paged<Row>(read: (after: Row | undefined) => Promise<Row[]>): Promise<Row[]> {
  const seen: Row[] = []
  for (;;) {
    const [next] = await read(seen.at(-1))
    if (!next) return seen
    seen.push(next)
  }
}

// Guards F51
describe('the list of subscriptions', () => {
  test('lists subscriptions that renew, with their recurring revenue', async () => {
    const text = textOf((await pageAt('subscriptions/')).body)
    assert.match(text, /MRR \$20\.00 Active 2 Subscriptions 3/)
    assert.match(text, /\$12\.00 \$12\.00 per month \S+@example\.com Pro Active Mar 10, 2026/)
    assert.match(text, /\$8\.00 \$96\.00 per year \S+@example\.com Pro Active .*Ends Mar 11, 2027/)
    assert.match(text, /\$0\.00 \$12\.00 per month \S+@example\.com Pro Canceled/)
    assert.deepEqual(await listed('subscriptions/'), [refunded, yearly, monthly].map(emailOf))
    const active = await pageAt('subscriptions/?status=active&frequency=month')
    assert.match(textOf(active.body), /MRR \$12\.00 Active 1 Subscriptions 1/)
  })

  test('is exported with those that renew, and those that have ended or will end', async () => {
    const agent = sellers.twin()
    await agent.open(`${APP}/subscriptions/`)
    const { rows } = await exportBy(agent, 'Export CSV')
    assert.deepEqual(
      rows.map(({ customer, auto_renew }) => [customer, auto_renew]),
      [
        [refunded.email, 'no'],
        [yearly.email, 'no'],
        [monthly.email, 'yes'],
      ],
    )
  })

  test('filters by status, plan, period, discount and date, and sorts by revenue', async () => {
    const [canceled, month, year] = [refunded, monthly, yearly].map(emailOf)
    assert.deepEqual(await listed('subscriptions/?status=canceled'), [canceled])
    assert.deepEqual(await listed('subscriptions/?frequency=year'), [year])
    assert.deepEqual(await listed('subscriptions/?discount=yes'), [])
    assert.equal((await listed('subscriptions/?discount=no')).length, 3)
    assert.deepEqual(await listed('subscriptions/?from=2026-03-11&to=2026-03-11'), [year])
    assert.deepEqual(await listed('subscriptions/?sort=mrr'), [month, year, canceled])
    assert.deepEqual(await listed(`subscriptions/?plan=prod_${'0'.repeat(22)}`), [])
    assert.equal((await listed("subscriptions/?status=x'&below=y&discount=z")).length, 3)
  })

  test('shows the code that applies to the next period, and the revenue after it', async () => {
    const terms = { percent: 50, periods: null }
    const { code } = await addCode(service, service.demo.app.client_id, terms)
    const bought = await buy(service, { query: `?discount=${code}` })
    const text = textOf((await pageAt('subscriptions/?discount=yes')).body)
    assert.match(text, new RegExp(`MRR \\$6\\.00 .*\\$6\\.00 \\$12\\.00 per month ${code}`))
    assert.deepEqual(await listed('subscriptions/?discount=yes'), [bought.email])
    await refund(service, bought)
    assert.match(textOf((await pageAt('subscriptions/?discount=yes')).body), /MRR \$0\.00/)
  })
})

describe('the list of licenses', () => {
  test('has every license, counted by status', async () => {
    const text = textOf((await pageAt('licenses/')).body)
    assert.match(text, /Licenses \d+ Active 2 Canceled \d Lifetime 1/)
    assert.match(text, /\$12\.60 \S+@example\.com Pro Active Mar 10, 2026/)
    assert.match(text, /\$0\.00 \S+@example\.com Pro Canceled Mar 12, 2026 Mar 12, 2026/)
    assert.match(text, /\S+@example\.com Pro Active Mar 11, 2026 Mar 11, 2027/)
  })

  test('filters by status, plan, origin and date, and begins with the oldest on request', async () => {
    assert.deepEqual(await listed('licenses/?status=one_time_active'), [lifetime.email])
    assert.deepEqual(await listed('licenses/?from=2026-03-11&to=2026-03-11'), [yearly.email])
    assert.deepEqual(await listed('licenses/?origin=comp'), [])
    assert.equal((await listed('licenses/?sort=oldest'))[0], monthly.email)
    assert.equal((await listed('licenses/?origin=purchase&sort=oldest'))[0], monthly.email)
  })
})

for (const list of ['subscriptions', 'licenses'] as const) {
  describe(`the list of ${list}, like that of customers,`, () => {
    test('finds a buyer by email or its beginning, key, order, license or invoice', async () => {
      const order = await billing.orderOfLicense(service.world.db, monthly.license_id)
      const invoice = await billing.getInvoice(service.world.db, monthly.invoice_id)
      const { email, license_key, license_id, invoice_id } = monthly
      const number = billing.invoiceNumber(invoice.number)
      const start = email.slice(0, email.indexOf('@'))
      for (const name of [email, start, license_key, license_id, order!, invoice_id, number]) {
        assert.deepEqual(await listed(`${list}/?q=${name}`), [email], name)
      }
      const elsewhere = `/dashboard/apps/driftlog/${list}/?q=${start}`
      assert.ok(!(await sellers.twin().open(elsewhere)).body.includes(email))
    })

    test('is exported as it is filtered, and each row leads to the customer', async () => {
      const agent = sellers.twin()
      const path = `${APP}/${list}/?from=2026-03-10&to=2026-03-10`
      const page = await agent.open(path)
      assert.ok(page.body.includes(`href="${APP}/customers/${monthly.license_id}/"`))
      const { rows, file } = await exportBy(agent, 'Export CSV')
      assert.deepEqual(
        rows.map(({ customer, license_id }) => [customer, license_id]),
        [[monthly.email, monthly.license_id]],
      )
      assert.match(`${file.headers['content-disposition']}`, new RegExp(`tidepool-${list}\\.csv`))
    })
  })
}

test('the pages of both lists continue where the last one ended', async () => {
  const { db } = service.world
  const app_id = service.demo.app.client_id
  for (const sort of metrics.SUBSCRIPTION_SORTS) {
    const read = (limit: number, last?: metrics.ListedSubscription) => {
      const after = last && { at: last.created_at, amount: last.mrr, id: last.license_id }
      return metrics.listSubscriptions(db, { app_id, sort, after, limit })
    }
    const all = await read(10)
    assert.equal(all.length, 4)
    assert.deepEqual(await paged<(typeof all)[number]>((last) => read(1, last)), all)
  }
  for (const sort of payments.LICENSE_SORTS) {
    const read = (limit: number, last?: payments.ListedLicense) => {
      const after = last && { at: last.created_at, id: last.license_id }
      return payments.listLicenses(db, { app_id, sort, after, limit })
    }
    const all = await read(10)
    assert.equal(all.length, 5)
    assert.deepEqual(await paged<(typeof all)[number]>((last) => read(1, last)), all)
  }
})

const emailOf = ({ email }: Bought) => email
