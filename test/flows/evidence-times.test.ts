import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import * as apps from '#domain/apps'
import { assembleEvidence } from '#flows/dispute'
import { addDays, isoDate } from '#platform/calendar'
import { sql } from '#platform/sql'
import { handleEvents } from '#surfaces/processor-events/worker'
import { CARD } from '../support/cards.ts'
import { disputeOf } from '../support/disputes.ts'
import { ownApp } from '../support/listing.ts'
import { buy } from '../support/refunds.ts'
import { openTestService, type TestService } from '../support/service.ts'
import { advanceTestClock } from '../support/test-clock.ts'

let service: TestService

before(async () => {
  service = await openTestService()
})
after(() => service.close())

test('evidence dates sign-ins and links by the test clock of the app, like its payments', async () => {
  const { world, clock } = service
  const bought = await buy(service, { card: CARD.not_received })
  await handleEvents(world)
  const { app } = await ownApp(service)
  const first_day = isoDate(clock.now())
  for (const days of [40, 50]) {
    clock.pass(60)
    await advanceTestClock(service, app.id, days)
    clock.pass(60)
    const used = sql`update users set email_verified_at = ${clock.now()}
      where email_normalized = ${bought.email} and email_verified_at is null`
    await world.db.run(used)
  }
  assert.ok((await apps.get(world.db, app.id)).clock_ahead > 0)
  const dispute = (await disputeOf(service, bought))!
  const log = (await assembleEvidence(world, dispute.id)).access_activity_log
  const dayOf = (what: string) =>
    log
      .split('\n')
      .find((line) => line.includes(what))
      ?.slice(0, 10)
  assert.equal(dayOf('confirmed the order'), first_day)
  assert.equal(dayOf('was signed in on our pages'), first_day)
  assert.equal(dayOf('confirmed the email address'), isoDate(addDays(clock.now(), 40)))
})
