import { formatDay } from '#design/money'
import * as payouts from '#domain/payouts'
import { appTime, type World } from '#flows/world'
import { addSeconds } from '#platform/calendar'
import { isMarkedAsTest } from '#platform/config'
import type { PayeeId } from '#platform/ids'
import { ENGLISH, type Locale } from '#platform/language/locale'

/** A banner for an app whose test clock is ahead of real time; undefined for others. */
export function clockNotice(
  world: Pick<World, 'clock'>,
  app: { name: string; clock_ahead: number },
  { t, day }: Locale = ENGLISH,
): string | undefined {
  if (app.clock_ahead === 0) return undefined
  return t('notice.clock', { day: day(appTime(world, app)), app: app.name })
}

/** The same for a payee, whose time is that of their app that is furthest ahead. */
export async function payeeNotice(
  { db, clock }: Pick<World, 'db' | 'clock'>,
  owner: PayeeId,
): Promise<string | undefined> {
  const ahead = await payouts.clockAheadOf(db, owner)
  if (ahead === 0) return undefined
  return `Test clock: it is ${formatDay(addSeconds(clock.now(), ahead))} for your payouts.`
}

/** The banner of test mode for buyers, with the app's time if its clock is ahead. */
export function testNotice(
  world: Pick<World, 'clock' | 'config' | 'processor'>,
  app: { name: string; clock_ahead: number },
  locale: Locale,
): string | undefined {
  if (!world.processor.is_test_mode) return undefined
  // The banner of every page says so already.
  if (isMarkedAsTest(world.config)) return clockNotice(world, app, locale)
  const notices = [locale.t('notice.test_mode'), clockNotice(world, app, locale)]
  return notices.filter(Boolean).join(' ')
}
