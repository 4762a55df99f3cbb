import { formatDay, priceText } from '#design/money'
import type * as apps from '#domain/apps'
import * as billing from '#domain/billing'
import * as catalog from '#domain/catalog'
import * as licensing from '#domain/licensing'
import { nextCharge } from '#flows/subscription'
import type { World } from '#flows/world'
import { taskAddress } from '#http/tasks'
import type { AppId } from '#platform/ids'
import type { Task } from '#platform/tasks'
import type { ClockContext } from './clock-context.ts'
import { type ClockFacts, MAX_COUNTED } from './clock-page.tsx'
import { nextOtherDue, type TestMode } from './clock-work.ts'
import { type OtherEvent, otherDueText, stepText } from './labels.ts'
import type { ClockLayoutFacts } from './layout.tsx'
import { scenarioOf } from './scenarios.ts'
import { ADVANCE, AdvanceRequest, findRunningTask, latestWork, ScenarioRequest } from './work.ts'

const MAX_SHOWN = 20

type ClockPageContent = Omit<ClockFacts, keyof ClockLayoutFacts | 'faulty' | 'form'>

/** Gathers the facts of the test clock's main page. */
export async function readClockFacts(
  world: World,
  context: ClockContext,
): Promise<ClockPageContent> {
  const { db } = world
  const { app } = context
  const shown = await billing.subscribersOf(db, { app_id: app.id, limit: MAX_SHOWN })
  const prices = await catalog.livePrices(db, app.id)
  const work = await findRunningTask(world, app.id)
  return {
    due: await nextDue(world, context, shown[0]),
    subscribers: shown.map((subscriber) => {
      const { license_id, email, product_name, status, next_at: at } = subscriber
      const next = at ? { at, text: stepText(stepOf(subscriber, at), subscriber) } : undefined
      return { license_id, email, product_name, status, next }
    }),
    subscriber_count: await billing.countSubscribers(db, app.id, MAX_COUNTED + 1),
    prices: prices.map(({ id, product_name, amount, frequency }) => {
      return { value: id, label: `${product_name}, ${priceText(amount, frequency)}` }
    }),
    closed: closedReason(app, prices.length),
    under_way_url: work && taskAddress(work.id),
    latest: (await latestWork(world, app.id)).map(workLine),
  }
}

function closedReason(app: apps.App, price_count: number): ClockFacts['closed'] {
  if (price_count === 0) return 'no_prices'
  if (app.is_suspended) return 'suspended'
  if (app.archived_at) return 'archived'
  return app.is_on_sale ? undefined : 'not_on_sale'
}

/** The next due event of an app; a charge includes its amount. */
export async function nextDue(
  world: World,
  { app, now, test_mode }: Pick<ClockContext, 'app' | 'now' | 'test_mode'>,
  first?: billing.Subscriber,
): Promise<{ at: Date; text: string } | undefined> {
  const other = await firstOtherEvent(world, test_mode, app.id, now)
  const at = first?.next_at
  if (!first || !at || (other && other.at < at)) {
    return other && { at: other.at, text: otherDueText(other) }
  }
  const charge = await nextCharge(world, first.license_id)
  return { at, text: `${first.email} ${stepText(stepOf(first, at), first, charge?.charged)}` }
}

/** The next due event that is not about a subscription. */
async function firstOtherEvent(
  world: World,
  test_mode: TestMode,
  app_id: AppId,
  now: Date,
): Promise<OtherEvent | undefined> {
  const { db } = world
  const end = await licensing.nextUnchargedEnd(db, app_id)
  const reminder = await licensing.nextReminder(db, app_id)
  const events: (OtherEvent | undefined)[] = [
    reminder && { at: reminder, what: 'reminder' },
    end && { at: end, what: 'end' },
    await nextOtherDue(world, test_mode, app_id, now),
  ]
  const known = events.filter((event) => event !== undefined)
  return known.toSorted((one, other) => one.at.getTime() - other.at.getTime())[0]
}

function stepOf(subscriber: billing.Subscriber, at: Date): billing.NextStep {
  return billing.nextStep(at, subscriber, subscriber.status)
}

function workLine({ id, kind, status, request, created_at }: Task): ClockFacts['latest'][number] {
  const text = { waiting: 'Running', running: 'Running', done: 'Done', failed: 'Stopped' }
  const of = { key: id, at: created_at, href: taskAddress(id), text: text[status] }
  if (kind === ADVANCE) {
    const { to } = AdvanceRequest.parse(request)
    return { ...of, title: `Advance to ${formatDay(new Date(to))}` }
  }
  const { scenario, ...chosen } = ScenarioRequest.parse(request)
  return { ...of, title: `Scenario: ${scenarioOf(scenario, chosen)?.title ?? scenario}` }
}
