import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { formatDay } from '#design/money'
import * as apps from '#domain/apps'
import * as billing from '#domain/billing'
import * as catalog from '#domain/catalog'
import { addDays } from '#platform/calendar'
import { markSent } from '#platform/email-queue'
import { type AppId, mintId } from '#platform/ids'
import { sql } from '#platform/sql'
import { runScenario } from '../../src/surfaces/test-clock/run-scenario.ts'
import { scenarioOf } from '../../src/surfaces/test-clock/scenarios.ts'
import { importer } from '../support/imports.ts'
import { assertInvariantsAndClose } from '../support/invariants.ts'
import { historyOf } from '../support/licenses.ts'
import { buy } from '../support/refunds.ts'
import { openTestService, type TestService } from '../support/service.ts'
import { testModeOf } from '../support/test-clock.ts'

const FIRST_PAGE = { limit: 50, offset: 0 }

// An email is written when it is sent, from what is true then: the clock waits for it.

let service: TestService
before(async () => {
  service = await openTestService()
  await service.world.jobs.start()
})
after(() => assertInvariantsAndClose(service))

test('each email of an advance says what was true on its day', async () => {
  const { world, demo } = service
  const price = (await catalog.findLivePrice(world.db, demo.app.prices[0]!.public_id))!
  const { license_id } = await runScenario(
    world,
    testModeOf(service),
    { scenario: scenarioOf('recovered', { retry: '2' })!, price, actor: await importer(service) },
    async () => {},
  )
  const failed_at = (await historyOf(world.db, license_id))[1]!.at
  const emails = await world.db.rows<{ subject: string; text: string }>(
    sql`select subject, text from dev_mailbox`,
  )
  const { name } = await apps.get(world.db, price.app_id)
  const toBuyer = emails.find(({ subject }) => subject.startsWith(`Your payment for ${name}`))
  assert.match(toBuyer?.text ?? '', new RegExp(`Next retry: ${formatDay(addDays(failed_at, 1))}`))
  const toSeller = emails.find(({ subject }) => subject.startsWith(`A renewal of ${name}`))
  assert.match(toSeller?.text ?? '', new RegExp(`card on ${formatDay(addDays(failed_at, 1))}`))
})

test('an email that was not needed when it was written is no event', async () => {
  const { db, clock, random } = service.world
  const { license_id, user_id } = await buy(service)
  const { app_id } = await db.one<{ app_id: AppId }>(
    sql`select app_id from licenses where user_id = ${user_id}`,
  )
  const listed = async () => {
    const events = await billing.timelineEvents(db, { app_id, license_id }, FIRST_PAGE)
    return events.some(({ kind, why }) => kind === 'email' && why === 'trial_ending')
  }
  const id = mintId(random, 'email')
  // Without its job, which would write it at once.
  await db.run(sql`insert into emails (id, cause, kind, subject_id, queued_at)
    values (${id}, ${id}, 'trial_ending', ${license_id}, ${clock.now()})`)
  assert.ok(await listed())
  await markSent(db, clock.now(), { id, recipients: undefined })
  assert.ok(!(await listed()))
})
