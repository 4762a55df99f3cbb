import { setTimeout as sleep } from 'node:timers/promises'
import * as apps from '#domain/apps'
import {
  type AdvanceResult,
  advanceClock,
  type ClockWork,
  type ReportAdvance,
} from '#flows/test-clock'
import { appTime } from '#flows/world'
import { addDays } from '#platform/calendar'
import type { AppId } from '#platform/ids'
import { handleEvents } from '#surfaces/processor-events/worker'
import { openSandbox, type Sandbox } from '../../src/sandbox/index.ts'
import { clockWorkOf, type TestMode } from '../../src/surfaces/test-clock/clock-work.ts'
import { testId } from './ids.ts'
import type { TestService } from './service.ts'

/** The sandbox of a service, with its controls, without the network faults of a test. */
export function sandboxOf({ world, clock }: TestService): Sandbox {
  const { db, random, keys, config } = world
  return openSandbox({ db, random, keys, clock, base_url: config.base_url })
}

/** The test mode of a service, for its test clock. */
export function testModeOf(service: TestService): TestMode {
  return { processor: sandboxOf(service), handleEvents: () => handleEvents(service.world) }
}

const PAUSE_MS = 20

/**
 * The work of an app as time passes. While it waits, the service's clock advances, and a concurrent
 * advance of the same app gets time to work.
 */
export function clockWorkFor(service: TestService, app_id: AppId): ClockWork {
  return clockWorkOf(service.world, testModeOf(service), app_id, async () => {
    service.clock.pass(0.2)
    await sleep(PAUSE_MS)
  })
}

/** The current time of an app. */
export async function timeOf({ world }: TestService, app_id: AppId): Promise<Date> {
  return appTime(world, await apps.get(world.db, app_id))
}

/** Advances an app's test clock by days, or to a time. */
export async function advanceTestClock(
  service: TestService,
  app_id: AppId,
  by: number | Date,
  report?: ReportAdvance,
): Promise<AdvanceResult> {
  const to = by instanceof Date ? by : addDays(await timeOf(service, app_id), by)
  const requested = { app_id, to, user_id: testId('usr_test'), request_id: 'req_test' }
  return await advanceClock(service.world, requested, clockWorkFor(service, app_id), report)
}
