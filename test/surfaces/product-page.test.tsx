import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { renderToString } from 'preact-render-to-string'
import type { ProductId } from '#platform/ids'
import { cents } from '#platform/money'
import { buildAssets } from '../../scripts/build-assets.ts'
import { type Plan, ProductPage } from '../../src/surfaces/marketplace/product-page.tsx'

before(buildAssets)

const planOf = (name: string, amount: number): Plan => ({
  id: `prod_${name}` as ProductId,
  name,
  description: '',
  prices: [{ amount: cents(amount), frequency: 'month', trial_days: 0, href: `/${name}/` }],
})
const FREE = planOf('Free', 0)
const PRO = planOf('Pro', 1200)
const TEAM = planOf('Team', 4800)

/** The labels of the primary buttons of a product page. */
function primaryButtons(plans: Plan[], highlighted?: ProductId): string[] {
  const page = ProductPage({
    is_preview: false,
    is_suspended: false,
    name: 'Tidepool',
    tagline: '',
    icon: undefined,
    screenshots: [],
    description: '',
    website: 'https://tidepool.example',
    canonical_url: 'https://purser.example/apps/tidepool/',
    structured_data: [],
    labels: [],
    is_external: false,
    plans,
    highlighted,
    on_sale: true,
    is_early: false,
    sections: [],
    features: [],
  })
  const html = renderToString(page)
  return [...html.matchAll(/<a class="btn btn-primary[^>]*>([^<]*)</g)].map(([, label]) => label!)
}

test('the main action of a product page is the only plan that is sold', () => {
  assert.deepEqual(primaryButtons([PRO]), ['Buy Pro monthly'])
  assert.deepEqual(primaryButtons([FREE, PRO]), ['Buy Pro monthly'])
})

test('the main action is the plan that the seller recommends, and of several plans no other', () => {
  assert.deepEqual(primaryButtons([FREE, PRO, TEAM]), [])
  assert.deepEqual(primaryButtons([FREE, PRO, TEAM], TEAM.id), ['Buy Team monthly'])
  assert.deepEqual(primaryButtons([FREE, PRO], FREE.id), ['Open Tidepool'])
})

test('a plan with several prices has one main action', () => {
  const yearly = { ...PRO.prices[0]!, amount: cents(9600), frequency: 'year' as const }
  const plan = { ...PRO, prices: [...PRO.prices, yearly] }
  assert.deepEqual(primaryButtons([plan]), ['Buy Pro monthly'])
  assert.deepEqual(primaryButtons([FREE, plan, TEAM], PRO.id), ['Buy Pro monthly'])
})
