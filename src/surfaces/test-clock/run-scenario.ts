import * as apps from '#domain/apps'
import * as billing from '#domain/billing'
import type * as catalog from '#domain/catalog'
import * as licensing from '#domain/licensing'
import * as payments from '#domain/payments'
import { refundCharge } from '#flows/refund'
import { jump } from '#flows/test-clock'
import { appTime, type World } from '#flows/world'
import type { ActorOf } from '#platform/audit'
import { counted } from '#platform/text'
import { clockWorkOf, type Outside } from './clock-work.ts'
import { buyAsNewBuyer, type ScenarioBuyer } from './scenario-buyer.ts'
import type { Act, Scenario } from './scenarios.ts'

// A year of daily trouble has no more steps than this; a scenario that goes on for longer is broken.
const MOST_STEPS = 60

/** Tells what a scenario is at, in words. */
export type ReportStep = (text: string) => Promise<void>

/** A scenario on its way: who asked for it, and whom it is about. */
interface Stage {
  world: World
  outside: Outside
  actor: ActorOf<'buyer' | 'seller'>
  app_id: string
  buyer: ScenarioBuyer
  report: ReportStep
}

/** What came of a scenario: whom it was about, and whether it went as it should. */
export interface ScenarioRun {
  license_id: string
  outcome: 'played' | 'stuck'
}

/**
 * Plays a scenario: a buyer of its own buys through the real checkout, and then the same happens that
 * would in real life. A jump moves the whole app's clock, so all its subscribers live through it.
 */
export async function runScenario(
  world: World,
  outside: Outside,
  facts: { scenario: Scenario; price: catalog.ProductPrice; actor: ActorOf<'buyer' | 'seller'> },
  report: ReportStep,
): Promise<ScenarioRun> {
  const { scenario, price, actor } = facts
  const { card } = scenario
  // A scenario about money has no trial in front of it, whatever the plan offers.
  const trial_days = scenario.trial_days ? price.trial_days || scenario.trial_days : 0
  const buyer = await buyAsNewBuyer(world, outside.processor, { price, card, trial_days })
  await report(`${buyer.email} bought ${price.product_name}.`)
  const stage = { world, outside, actor, app_id: price.app_id, buyer, report }
  const { license_id } = buyer
  for (const act of scenario.acts) {
    if (!(await play(stage, act))) return { license_id, outcome: 'stuck' }
  }
  return { license_id, outcome: 'played' }
}

async function play(stage: Stage, act: Act): Promise<boolean> {
  if ('until' in act) return await playUntil(stage, act.until)
  if ('refund' in act) return await giveBack(stage)
  return await dispute(stage, act.dispute)
}

/** Moves the clock to whatever is due for the buyer, again and again, until a status is reached. */
async function playUntil(stage: Stage, wanted: licensing.LicenseStatus): Promise<boolean> {
  const { world, outside, actor, app_id, buyer, report } = stage
  const { db } = world
  const work = clockWorkOf(world, outside, app_id)
  for (let step = 0; step < MOST_STEPS; step++) {
    const { status } = await licensing.findLicense(db, buyer.license_id)
    await report(`${buyer.email} is ${status.replaceAll('_', ' ')}.`)
    if (status === wanted) return true
    const due = (await billing.subscriptionOf(db, buyer.license_id))?.next_at
    if (!due) return false
    const now = await timeOf(stage)
    const { outcome } = await jump(
      world,
      { app_id, to: due < now ? now : due, ...actor },
      work,
      ({ done_count: played }) => report(`${counted(played, 'event')} so far.`),
    )
    if (outcome !== 'there') return false
  }
  return false
}

async function giveBack({ world, actor, buyer }: Stage): Promise<boolean> {
  const invoice = (await billing.lastPaidInvoice(world.db, buyer.license_id))!
  const asked = { invoice_id: invoice.id, reason: 'Test clock scenario' }
  const { outcome } = await refundCharge(world, { ...actor, kind: 'seller' }, asked)
  return outcome === 'refunded'
}

async function dispute(stage: Stage, outcome: 'won' | 'lost'): Promise<boolean> {
  const { world, outside, buyer, report } = stage
  const { processor, hear } = outside
  const invoice = (await billing.lastPaidInvoice(world.db, buyer.license_id))!
  const { processor_charge_id } = (await payments.chargeOf(world.db, invoice.id))!
  const disputed = { charge_id: processor_charge_id, reason: 'fraudulent' } as const
  const opened = await processor.disputeCharge(await timeOf(stage), disputed)
  if (!opened) return false
  await hear()
  await report(`${buyer.email} disputes the payment.`)
  await processor.decideDispute(await timeOf(stage), { ...opened, outcome })
  await hear()
  const { status } = await licensing.findLicense(world.db, buyer.license_id)
  return outcome === 'lost' ? status === 'canceled' : licensing.isEntitled(status)
}

async function timeOf({ world, app_id }: Stage): Promise<Date> {
  return appTime(world, (await apps.find(world.db, app_id))!)
}
