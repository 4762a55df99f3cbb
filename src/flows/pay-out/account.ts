import type { ProcessorEvent } from '#domain/payments'
import * as payouts from '#domain/payouts'
import { payeeTime, type World } from '#flows/world'
import { queueFreshEmail } from '#platform/email-queue'
import type { PayeeId } from '#platform/ids'

/**
 * Opens a payee's account at the processor, or finds the existing one, and returns the URL of the
 * processor's page on which the payee adds a US bank account.
 */
export async function openOnboarding(
  world: World,
  facts: { owner: PayeeId; email: string; return_url: string },
): Promise<string> {
  const { db, clock, processor } = world
  const now = clock.now()
  const { owner, email, return_url } = facts
  const { account_id } = await processor.openAccount(now, { owner, email })
  const account = { owner, processor: processor.name, processor_account_id: account_id }
  const monday = payouts.mondayOf(await payeeTime(world, owner))
  await payouts.addAccount(db, now, monday, account)
  const { url } = await processor.openOnboarding(now, { account_id, return_url })
  return url
}

/**
 * Reads the state of a payee's account from the processor. If the bank account changed, an email
 * asks the payee to confirm that they did it. After a bank returned a payout, payouts go on once it
 * changed, or if it `is_confirmed`: the payee says that its details are right.
 */
export async function refreshAccount(
  world: World,
  owner: PayeeId,
  { is_confirmed }: { is_confirmed: boolean },
): Promise<void> {
  const { db, clock, processor } = world
  const account = await payouts.findAccount(db, owner)
  if (!account) return
  // Read each time: an event's content may be outdated by the next one.
  const reported = await processor.readAccount(account.processor_account_id)
  const now = clock.now()
  const isRecorded = await db.tx(async (tx) => {
    // The payee's return and the processor's event may arrive together; one of them sees the
    // change.
    const before = (await payouts.lockAccount(tx, owner))!
    if (before.bank_fingerprint !== account.bank_fingerprint) return false
    const bank = payouts.bankOf(reported)
    const isOther = reported.bank_fingerprint !== before.bank_fingerprint
    // The processor itself may pay nothing more to a bank that returned a payout.
    const is_resumed = (isOther && bank !== undefined) || (is_confirmed && reported.is_ready)
    await payouts.recordAccount(tx, now, owner, { ...reported, is_resumed })
    if (bank === undefined || !isOther) return true
    const facts = { bank, before: payouts.bankOf(before) }
    await queueFreshEmail(tx, now, world, { kind: 'bank_changed', subject_id: owner, facts })
    return true
  })
  // The other request was faster, so what was read here may be older than what it wrote.
  if (!isRecorded) return await refreshAccount(world, owner, { is_confirmed })
}

/** Handles the processor's event that a payee's account changed. */
export async function accountChanged(
  world: World,
  event: Extract<ProcessorEvent, { kind: 'account_changed' }>,
): Promise<void> {
  const account = await payouts.accountOfProcessor(world.db, {
    processor: world.processor.name,
    processor_account_id: event.account_id,
  })
  if (account) await refreshAccount(world, account.owner, { is_confirmed: false })
}
