import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { formatDay } from '#design/money'
import * as apps from '#domain/apps'
import * as catalog from '#domain/catalog'
import { addDays } from '#platform/calendar'
import { sql } from '#platform/sql'
import { runScenario } from '../../src/surfaces/test-clock/run-scenario.ts'
import { scenarioOf } from '../../src/surfaces/test-clock/scenarios.ts'
import { importer } from '../support/imports.ts'
import { closeSound } from '../support/invariants.ts'
import { historyOf } from '../support/licenses.ts'
import { openTestService, type TestService } from '../support/service.ts'
import { testModeOf } from '../support/test-clock.ts'

// An email is written when it is sent, from what is true then: the clock waits for it.

let service: TestService
before(async () => {
  service = await openTestService()
  await service.world.jobs.start()
})
after(() => closeSound(service))

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
