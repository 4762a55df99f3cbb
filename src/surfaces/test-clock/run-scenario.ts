import * as apps from '#domain/apps'
import * as billing from '#domain/billing'
import type * as catalog from '#domain/catalog'
import * as licensing from '#domain/licensing'
import * as payments from '#domain/payments'
import { refundCharge } from '#flows/refund'
import { advanceClock } from '#flows/test-clock'
import { appTime, type World } from '#flows/world'
import type { ActorOf } from '#platform/audit'
import type { AppId, LicenseId } from '#platform/ids'
import { counted } from '#platform/text'
import { clockWorkOf, type TestMode } from './clock-work.ts'
import { buyAsNewBuyer, type ScenarioBuyer } from './scenario-buyer.ts'
import type { Scenario, ScenarioStep } from './scenarios.ts'

// More than any scenario needs in a year of failed payments; beyond it the scenario is broken.
const MAX_STEPS = 60

/** Reports the current step of a scenario. */
export type ReportStep = (text: string) => Promise<void>

/** A running scenario: who started it, and its buyer. */
interface RunState {
  world: World
  test_mode: TestMode
  actor: ActorOf<'seller'>
  app_id: AppId
  buyer: ScenarioBuyer
  report: ReportStep
}

/** The outcome of a scenario: its license, and whether every step succeeded. */
export interface ScenarioRun {
  license_id: LicenseId
  outcome: 'completed' | 'stuck'
}

/**
 * Runs a scenario: a new buyer buys through the real checkout, and then each step of the scenario
 * happens. Advancing moves the whole app's clock, so it affects all of its subscribers.
 */
export async function runScenario(
  world: World,
  test_mode: TestMode,
  facts: { scenario: Scenario; price: catalog.ProductPrice; actor: ActorOf<'seller'> },
  report: ReportStep,
): Promise<ScenarioRun> {
  const { scenario, price, actor } = facts
  const { card } = scenario
  // Scenarios without a trial skip the plan's trial too.
  const trial_days = scenario.trial_days ? price.trial_days || scenario.trial_days : 0
  const buyer = await buyAsNewBuyer(world, test_mode.processor, { price, card, trial_days })
  await report(`${buyer.email} bought ${price.product_name}.`)
  const state = { world, test_mode, actor, app_id: price.app_id, buyer, report }
  const { license_id } = buyer
  for (const step of scenario.steps) {
    if (!(await runStep(state, step))) return { license_id, outcome: 'stuck' }
  }
  return { license_id, outcome: 'completed' }
}

async function runStep(state: RunState, step: ScenarioStep): Promise<boolean> {
  if ('until' in step) return await advanceUntil(state, step.until)
  if ('refund' in step) return await refundAll(state)
  return await dispute(state, step.dispute)
}

/**
 * Advances the clock from one due event of the buyer to the next until the license has a status.
 */
async function advanceUntil(state: RunState, wanted: licensing.LicenseStatus): Promise<boolean> {
  const { world, test_mode, actor, app_id, buyer, report } = state
  const { db } = world
  const work = clockWorkOf(world, test_mode, app_id)
  for (let count = 0; count < MAX_STEPS; count++) {
    const { status } = await licensing.getLicense(db, buyer.license_id)
    await report(`${buyer.email} is ${status.replaceAll('_', ' ')}.`)
    if (status === wanted) return true
    const due = (await billing.subscriptionOf(db, buyer.license_id))?.next_at
    if (!due) return false
    const now = await timeOf(state)
    const { outcome } = await advanceClock(
      world,
      { app_id, to: due < now ? now : due, ...actor },
      work,
      ({ done_count }) => report(`${counted(done_count, 'event')} so far.`),
    )
    if (outcome !== 'there') return false
  }
  return false
}

async function refundAll({ world, actor, app_id, buyer }: RunState): Promise<boolean> {
  const { seller_id } = await apps.get(world.db, app_id)
  const invoice = (await billing.lastPaidInvoice(world.db, buyer.license_id))!
  const requested = { invoice_id: invoice.id, reason: 'Test clock scenario' }
  const { outcome } = await refundCharge(world, { ...actor, seller_id }, requested)
  return outcome === 'refunded'
}

async function dispute(state: RunState, outcome: 'won' | 'lost'): Promise<boolean> {
  const { world, test_mode, buyer, report } = state
  const { processor, handleEvents } = test_mode
  const invoice = (await billing.lastPaidInvoice(world.db, buyer.license_id))!
  const { processor_charge_id } = (await payments.chargeOf(world.db, invoice.id))!
  const disputed = { charge_id: processor_charge_id, reason: 'fraudulent' } as const
  const opened = await processor.disputeCharge(await timeOf(state), disputed)
  if (!opened) return false
  await handleEvents()
  await report(`${buyer.email} disputes the payment.`)
  await processor.decideDispute(await timeOf(state), { ...opened, outcome })
  await handleEvents()
  const { status } = await licensing.getLicense(world.db, buyer.license_id)
  return outcome === 'lost' ? status === 'canceled' : licensing.isEntitled(status)
}

async function timeOf({ world, app_id }: RunState): Promise<Date> {
  return appTime(world, await apps.get(world.db, app_id))
}
