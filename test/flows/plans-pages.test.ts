import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import fc from 'fast-check'
import { formatMoney } from '#design/money'
import * as apps from '#domain/apps'
import * as billing from '#domain/billing'
import { readVersions } from '#flows/listing'
import { cents, formatAmount } from '#platform/money'
import { sql } from '#platform/sql'
import { proceedsText } from '../../src/platform/design/browser/proceeds.ts'
import {
  BLANK_PLAN,
  fieldsOfPlans,
  formOfVersions,
  type PlanRow,
} from '../../src/surfaces/dashboard/plans-form.ts'
import { type Agent, textOf } from '../support/agent.ts'
import { assertInvariantsAndClose } from '../support/invariants.ts'
import { ownApp } from '../support/listing.ts'
import { signedIn } from '../support/seller.ts'
import { openTestService, type TestService } from '../support/service.ts'

let service: TestService
let agent: Agent
const APP = '/dashboard/apps/tidepool/'

before(async () => {
  service = await openTestService()
  agent = await signedIn(service, service.demo.seller)
})
after(() => assertInvariantsAndClose(service))

const countOfChanges = async () =>
  (await service.world.db.one<{ count: number }>(sql`select count(*)::int from app_changes`)).count

// F5
describe('a free trial', () => {
  /** Types the days of a trial into the plan Pro. */
  const review = async (days: string) => {
    const { app } = await ownApp(service)
    const rows = formOfVersions(await readVersions(service.world.db, app.id))
    const plans = rows.map((row) => (row.name === 'Pro' ? { ...row, trial_days: days } : row))
    await agent.open(`${APP}plans/`)
    return await agent.submit('Review changes', Object.fromEntries(fieldsOfPlans(plans)))
  }

  test('has 0 to 90 whole days; anything else is an error at its field, and nothing is saved', async () => {
    for (const days of ['91', '-1', '1.5', 'two weeks']) {
      const page = await review(days)
      assert.equal(page.status, 422, days)
      assert.match(textOf(page.body), /Use 0 to 90 whole days/)
    }
  })

  test('is set in the plan editor, shown in the review and on the product page', async () => {
    const reviewed = await review('14')
    assert.match(textOf(reviewed.body), /Pro, trial.*14 days/)
    await agent.submit(/^Save/)
    const product = await agent.open('/apps/tidepool/')
    assert.match(textOf(product.body), /14 days free/)
    assert.match(textOf((await review('1')).body), /Pro, trial.*1 day\b/)
    await agent.submit(/^Save/)
    assert.match(textOf((await agent.open('/apps/tidepool/')).body), /1 day free/)
    await review('')
    await agent.submit(/^Save/)
    assert.doesNotMatch(textOf((await agent.open('/apps/tidepool/')).body), /days free/)
  })
})

describe('a description', () => {
  /** Submits the current plans with another description of Pro, or with one plan more. */
  const review = async (description: string, more: PlanRow[] = []) => {
    const { app } = await ownApp(service)
    const rows = formOfVersions(await readVersions(service.world.db, app.id))
    const plans = rows.map((row) => (row.name === 'Pro' ? { ...row, description } : row))
    await agent.open(`${APP}plans/`)
    const fields = Object.fromEntries(fieldsOfPlans([...plans, ...more]))
    return await agent.submit('Review changes', fields)
  }
  const descriptions = async () => {
    const { app } = await ownApp(service)
    const versions = await readVersions(service.world.db, app.id)
    return Object.fromEntries(versions.map(({ name, description }) => [name, description]))
  }

  test('that is not changed leaves nothing to save, and the page says so', async () => {
    const { Pro = '' } = await descriptions()
    const page = await review(Pro)
    assert.equal(page.status, 200)
    assert.match(textOf(page.body), /There are no changes to save\./)
  })

  test('is reviewed and saved beside the prices, also of a new plan', async () => {
    const prices = [{ amount: '30', frequency: 'month' }]
    const crew = { ...BLANK_PLAN, name: 'Crew', description: 'For crews.', prices }
    const shown = await review('For sailors.', [crew])
    assert.match(textOf(shown.body), /Pro, description .*New For sailors\./)
    assert.match(textOf(shown.body), /Crew, description .*New For crews\./)
    await agent.submit('Save plans')
    const saved = await descriptions()
    assert.deepEqual([saved.Pro, saved.Crew], ['For sailors.', 'For crews.'])
  })

  test('that is too long saves nothing, and is shown at its field', async () => {
    const before = await countOfChanges()
    const { status, body } = await review('x'.repeat(1001))
    assert.equal(status, 422)
    assert.match(textOf(body), /Plan \d+, description: /)
    assert.equal(await countOfChanges(), before)
  })
})

describe('proceeds', () => {
  test('are the price less the fee that a sale is charged', () => {
    const rates = {
      own: { bps: 500, fixed: cents(50) },
      marketplace: { bps: 1000, fixed: cents(50) },
    }
    const lines = {
      '12': 'You receive $10.90, or $10.30 if Purser brings the buyer.',
      '$1,200.50': 'You receive $1,139.97, or $1,079.95 if Purser brings the buyer.',
      '0.30': 'You receive $0.00, or $0.00 if Purser brings the buyer.',
      '': 'The fee is 5% and $0.50, or 10% and $0.50 if Purser brings the buyer.',
      abc: 'The fee is 5% and $0.50, or 10% and $0.50 if Purser brings the buyer.',
    }
    for (const [typed, line] of Object.entries(lines)) {
      assert.equal(proceedsText(typed, rates), line, typed)
    }
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 100_000_000 }), (price) => {
        const { fee } = billing.feeOn(cents(price), { brought_by: 'seller', has_add_on: false })
        const text = proceedsText(formatAmount(cents(price)), rates)
        assert.ok(text.startsWith(`You receive ${formatMoney(cents(price - fee))}, `))
      }),
    )
  })

  test('are shown under each price of the editor', async () => {
    await agent.open(`${APP}plans/`)
    assert.match(agent.text, /You receive \$10\.\d\d, or \$10\.\d\d if Purser brings/)
  })
})

describe('the preview of the product page', () => {
  test('shows an unpublished app to its team only, and to no search engine', async () => {
    const { db } = service.world
    await db.run(sql`update apps set is_published = false, external_sales_enabled = false
      where slug = 'tidepool'`)
    assert.equal((await agent.open('/apps/tidepool/')).status, 404)
    const { status, body } = await agent.open(`${APP}preview/`)
    assert.equal(status, 200)
    assert.match(textOf(body), /Preview\. Buyers see this page when the app is published/)
    assert.match(body, /name="robots" content="noindex"/)
    const other = await signedIn(service, service.demo.operator)
    assert.equal((await other.open(`${APP}preview/`)).status, 404)
  })

  test('has buy buttons only while the app is on sale', async () => {
    const { db } = service.world
    const preview = async (on_sale: { is_published: boolean; external_sales_enabled: boolean }) => {
      await apps.setOnSale(db, service.demo.app.client_id, on_sale)
      return textOf((await agent.open(`${APP}preview/`)).body)
    }
    for (const [is_published, external_sales_enabled] of [
      [false, true],
      [true, false],
    ] as const) {
      const shown = await preview({ is_published, external_sales_enabled })
      assert.match(shown, /\$\d+ .*Not on sale yet/)
      assert.doesNotMatch(shown, /Buy Pro/)
      assert.doesNotMatch(agent.page.body, /"\/buy\//)
    }
    const shown = await preview({ is_published: true, external_sales_enabled: true })
    assert.match(shown, /Buy Pro monthly/)
    assert.doesNotMatch(shown, /Not on sale/)
    await agent.press('Buy Pro monthly')
    assert.equal(agent.page.status, 200)
  })
})
