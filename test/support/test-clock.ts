import { setTimeout as sleep } from 'node:timers/promises'
import * as apps from '#domain/apps'
import { type ClockWork, type Jumped, jump, type ReportJump } from '#flows/test-clock'
import { appTime } from '#flows/world'
import { addDays } from '#platform/calendar'
import type { AppId } from '#platform/ids'
import { handleEvents } from '#surfaces/processor-events/worker'
import { openSandbox, type Sandbox } from '../../src/sandbox/index.ts'
import { clockWorkOf, type TestMode } from '../../src/surfaces/test-clock/clock-work.ts'
import { testId } from './ids.ts'
import type { TestService } from './service.ts'

/** The sandbox of a service, with what can be made to happen in it. */
export function sandboxOf({ world, clock }: TestService): Sandbox {
  const { db, random, keys, config } = world
  return openSandbox({ db, random, keys, clock, base_url: config.base_url })
}

/** The world outside of a service, as its test clock has it. */
export function testModeOf(service: TestService): TestMode {
  return { processor: sandboxOf(service), handleEvents: () => handleEvents(service.world) }
}

const PAUSE_MS = 20

/**
 * What happens when time passes for an app. Where it waits, the service's clock advances, and
 * another jump of the same app gets the time to do its work.
 */
export function clockWorkFor(service: TestService, app_id: AppId): ClockWork {
  return clockWorkOf(service.world, testModeOf(service), app_id, async () => {
    service.clock.pass(0.2)
    await sleep(PAUSE_MS)
  })
}

/** What time it is for an app. */
export async function timeOf({ world }: TestService, app_id: AppId): Promise<Date> {
  return appTime(world, (await apps.find(world.db, app_id))!)
}

/** Lets an app's own clock jump by days, or to a time. */
export async function letPass(
  service: TestService,
  app_id: AppId,
  by: number | Date,
  report?: ReportJump,
): Promise<Jumped> {
  const to = by instanceof Date ? by : addDays(await timeOf(service, app_id), by)
  const requested = { app_id, to, user_id: testId('usr_test'), request_id: 'req_test' }
  return await jump(service.world, requested, clockWorkFor(service, app_id), report)
}
