import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import * as apps from '#domain/apps'
import * as catalog from '#domain/catalog'
import { highlightPlan, readVersions, replaceVersions } from '#flows/listing'
import type { PriceId } from '#platform/ids'
import { type Agent, textOf } from '../support/agent.ts'
import { asVersionInput, ownApp, requireWritten } from '../support/listing.ts'
import { buyer, chargedAmounts } from '../support/purchase.ts'
import { addSellerWithApp, signedIn } from '../support/seller.ts'
import type { TestService } from '../support/service.ts'
import { DAY, runDue, subscribe } from '../support/subscriber.ts'
import { type BothModes, openBothModes, sellerInTestMode } from '../support/test-mode.ts'

// Guards point 10 of issue 11 and decision 105: plans that changed in live mode, copied again.

const COPY = '/dashboard/apps/tidepool/plans/copy/'
let modes: BothModes
let live: TestService
let there: TestService
let tab: Agent
before(async () => {
  modes = await openBothModes()
  live = modes.live
  there = modes.test
  tab = await sellerInTestMode(modes)
})
after(() => modes.close())

const plansOf = async ({ world }: TestService) => {
  const { app } = await ownApp(live)
  return (await readVersions(world.db, app.id)).filter(({ is_active }) => is_active)
}

type Plan = ReturnType<typeof asVersionInput>

/** Replaces the plans of a mode. */
async function setPlans(service: TestService, change: (plans: Plan[]) => object[]) {
  const { app, actor } = await ownApp(service)
  const versions = change((await plansOf(service)).map(asVersionInput)) as catalog.VersionInput[]
  return requireWritten(
    await replaceVersions(service.world, actor, { app, versions, dry_run: false }),
  )
}

const named = (plans: Plan[], name: string) => plans.find((plan) => plan.name === name)!
const others = (plans: Plan[], name: string) => plans.filter((plan) => plan.name !== name)
const monthly = (amount: string) => [{ amount, frequency: 'month' }]

async function copyPlans(): Promise<string> {
  await tab.open(COPY)
  const page = await tab.submit('Copy plans')
  assert.equal(page.status, 200)
  return textOf(page.body)
}

test('nothing is offered while the plans are the same', async () => {
  const plans = await tab.open('/dashboard/apps/tidepool/plans/')
  assert.ok(plans.body.includes(`href="${COPY}"`))
  const page = await tab.open(COPY)
  assert.match(textOf(page.body), /Nothing to copy/)
  assert.throws(() => tab.form('Copy plans'))
  const agent = await signedIn(live, live.demo.seller)
  assert.equal((await agent.open(COPY)).status, 404)
  assert.ok(!(await agent.open('/dashboard/apps/tidepool/plans/')).body.includes(COPY))
})

test('added, changed and removed plans are shown first and copied under their ids', async () => {
  await setPlans(there, (plans) => [...plans, { name: 'Trial run', prices: monthly('3.00') }])
  await setPlans(live, (plans) => [
    ...plans.map((plan) => (plan.name === 'Pro' ? { ...plan, trial_days: 7 } : plan)),
    { name: 'Studio', prices: [...monthly('55.00'), { amount: '550.00', frequency: 'year' }] },
  ])
  const { app, actor } = await ownApp(live)
  const studio = (await plansOf(live)).at(-1)!
  const { product_public_id: product_id } = studio
  await highlightPlan(live.world, actor, { app_id: app.id, product_id })

  const before = await plansOf(there)
  const shown = textOf((await tab.open(COPY)).body)
  assert.match(shown, /Plans that will be removed Trial run/)
  assert.match(shown, /Buy links that will stop working Trial run, \$3.00/)
  assert.match(shown, /Studio, monthly price Test mode None After copying \$55.00/)
  assert.match(shown, /Pro, trial Test mode None After copying 7 days/)
  assert.match(shown, /Highlighted plan Test mode .* After copying Studio/)
  assert.deepEqual(await plansOf(there), before)

  assert.match(await copyPlans(), /Plans copied from live mode/)
  assert.deepEqual(await plansOf(there), await plansOf(live))
  assert.equal(await catalog.highlighted(there.world.db, app.id), product_id)
  const buy_link = `/buy/${studio.prices[0]!.public_id}/`
  assert.match(textOf((await buyer(there).open(buy_link)).body), /\$55\.00/)
  assert.match(textOf((await tab.open(COPY)).body), /Nothing to copy/)
  const newest = async ({ world }: TestService) =>
    (await apps.changesOf(world.db, app.id, { limit: 1 }))[0]!
  assert.equal((await newest(there)).action, 'versions.replaced')
  assert.notEqual((await newest(live)).id, (await newest(there)).id)
})

test('a plan that only test mode sells stays while a test customer subscribes to it', async () => {
  await setPlans(there, (plans) => [...plans, { name: 'Solo', prices: monthly('5.00') }])
  const solo = (await plansOf(there)).at(-1)!
  await subscribe(there, { price_id: solo.prices[0]!.public_id })
  await setPlans(live, (plans) => [...plans, { name: 'Duo', prices: monthly('8.00') }])
  assert.match(textOf((await tab.open(COPY)).body), /Plans kept for their subscribers Solo/)
  await copyPlans()
  assert.deepEqual(await plansOf(there), [...(await plansOf(live)), solo])
})

test('what cannot be copied is explained, and nothing is', async () => {
  await setPlans(live, (plans) => [...plans, { name: 'Solo', prices: monthly('6.00') }])
  const before = await plansOf(there)
  const page = await tab.open(COPY)
  assert.match(textOf(page.body), /The plans cannot be copied .*already has this name/)
  assert.throws(() => tab.form('Copy plans'))
  assert.deepEqual(await plansOf(there), before)
  await setPlans(live, (plans) => others(plans, 'Solo'))
})

test('a change after the page was opened is shown before anything is copied', async () => {
  await setPlans(live, (plans) => [...plans, { name: 'Trio', prices: monthly('9.00') }])
  await tab.open(COPY)
  await setPlans(live, (plans) => [
    ...others(plans, 'Trio'),
    { ...named(plans, 'Trio'), prices: monthly('11.00') },
  ])
  const page = await tab.submit('Copy plans')
  assert.equal(page.status, 409)
  assert.match(textOf(page.body), /The plans have changed .*\$11\.00/)
  assert.ok((await plansOf(there)).every(({ name }) => name !== 'Trio'))
})

test('the plans of an app that another seller has in live mode are not shown', async () => {
  await addSellerWithApp(live, { email: live.demo.buyer.email, slug: 'lighthouse' })
  const { app } = await ownApp(live)
  const other = await ownApp(live, 'lighthouse')
  await apps.setSeller(live.world.db, app.id, other.app.seller_id)
  assert.equal((await tab.open(COPY)).status, 404)
  await apps.setSeller(live.world.db, app.id, app.seller_id)
})

test('a test subscription keeps its price, and a new purchase pays the copied one', async () => {
  const price_id = (await plansOf(there)).find(({ name }) => name === 'Studio')!.prices[0]!
    .public_id as PriceId
  const before = await subscribe(there, { price_id })
  const paid = await chargedAmounts(there, before.email)
  await setPlans(live, (plans) => [
    ...others(plans, 'Studio'),
    { ...named(plans, 'Studio'), prices: monthly('70.00') },
  ])
  await copyPlans()
  const after = await subscribe(there, { price_id })
  const [first] = await chargedAmounts(there, after.email)
  assert.ok(first! > paid[0]!)
  // The member's session ends while the page is open.
  live.clock.pass(32 * DAY)
  await runDue(there)
  assert.deepEqual(await chargedAmounts(there, before.email), [...paid, ...paid])
})
