import * as licensing from '#domain/licensing'
import * as payments from '#domain/payments'
import { holdLicense, resume, suspend } from '#flows/hold'
import type { World } from '#flows/world'
import { noteDeed, type Staff } from './staff.ts'

/** What became of a hold: a license that ended, or that its owner paused, is not held. */
export type HeldByStaff = 'held' | 'ended' | 'paused_by_owner'

/** Suspends a license by hand. One that is suspended for a dispute stays so until it is released. */
export async function holdByStaff(
  world: World,
  staff: Staff,
  license_id: string,
): Promise<HeldByStaff> {
  return await world.db.tx(async (tx) => {
    const held = await holdLicense(world, tx, license_id)
    const { status, paused_for } = held.license
    if (status === 'canceled' || status === 'preview') return 'ended'
    if (paused_for === 'buyer') return 'paused_by_owner'
    if (paused_for === 'operator') return 'held'
    if (status === 'paused') await licensing.changePause(tx, { license_id, paused_for: 'operator' })
    else await suspend(tx, held, { trigger: 'held', paused_for: 'operator' })
    await noteDeed(tx, held.now, staff, { action: 'license.held', subject: license_id })
    return 'held'
  })
}

/** Lets a license go on that staff held; where it is disputed it stays suspended for that. */
export async function releaseByStaff(
  world: World,
  staff: Staff,
  license_id: string,
): Promise<boolean> {
  return await world.db.tx(async (tx) => {
    const held = await holdLicense(world, tx, license_id)
    if (held.license.paused_for !== 'operator') return false
    const isDisputed = (await payments.countOpenDisputes(tx, license_id)) > 0
    if (isDisputed) await licensing.changePause(tx, { license_id, paused_for: 'dispute' })
    else await resume(tx, held)
    await noteDeed(tx, held.now, staff, { action: 'license.released', subject: license_id })
    return true
  })
}
