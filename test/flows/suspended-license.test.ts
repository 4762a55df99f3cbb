import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { reinstateByStaff, suspendByStaff } from '#flows/staff-actions'
import type { LicenseId } from '#platform/ids'
import { sql } from '#platform/sql'
import { disputeCharge } from '../support/disputes.ts'
import { assertInvariantsAndClose } from '../support/invariants.ts'
import { emailTo } from '../support/mailbox.ts'
import { buy, staffActor } from '../support/refunds.ts'
import { openTestService, type TestService } from '../support/service.ts'

describe('a license that staff suspend', () => {
  let service: TestService
  before(async () => {
    service = await openTestService()
    await service.world.jobs.start()
  })
  after(() => assertInvariantsAndClose(service))

  const staff = async () => ({ ...(await staffActor(service)), reason: 'A stolen card?' })
  const queuedFor = async (license_id: LicenseId) =>
    (
      await service.world.db.rows<{ kind: string }>(sql`select kind from emails
        where subject_id = ${license_id} and kind in ('license_suspended', 'license_reinstated')
        order by queued_at, kind desc`)
    ).map(({ kind }) => kind)

  test('is paused for its buyer by email, and works again by email, without the reason', async () => {
    const { email, license_id } = await buy(service)
    await suspendByStaff(service.world, await staff(), license_id)
    const paused = await emailTo(service, email, /^Your license for Tidepool Pro is paused$/)
    assert.match(paused, /cannot be used and nothing is charged/)
    assert.doesNotMatch(paused, /stolen/)
    service.clock.pass(1)
    await reinstateByStaff(service.world, await staff(), license_id)
    const resumed = await emailTo(service, email, /^Your license for Tidepool Pro works again$/)
    assert.match(resumed, /If a charge came due while it was paused, it is made now/)
    assert.doesNotMatch(resumed, /stolen/)
  })

  test('is named once, however often staff decide the same', async () => {
    const { license_id } = await buy(service)
    for (const decide of [suspendByStaff, suspendByStaff, reinstateByStaff, reinstateByStaff]) {
      await decide(service.world, await staff(), license_id)
      service.clock.pass(1)
    }
    assert.deepEqual(await queuedFor(license_id), ['license_suspended', 'license_reinstated'])
  })

  test('does not work again by email while its payment is disputed', async () => {
    const { license_id, charge } = await buy(service)
    await disputeCharge(service, charge)
    await suspendByStaff(service.world, await staff(), license_id)
    await reinstateByStaff(service.world, await staff(), license_id)
    assert.deepEqual(await queuedFor(license_id), [])
  })
})
