import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type * as payouts from '#domain/payouts'
import { settlePayout } from '#flows/pay-out'
import { recordStatus } from '#flows/pay-out/settle'
import type { StoredEmail } from '#platform/email-queue'
import { mintId } from '#platform/ids'
import { sql } from '#platform/sql'
import { handleEvents } from '#surfaces/processor-events/worker'
import { PAYEE_EMAILS } from '../../src/surfaces/emails/payee.ts'
import { enterPassword, signUp } from '../support/account.ts'
import { type Agent, textOf } from '../support/agent.ts'
import { openAlarms } from '../support/alarms.ts'
import { assertInvariants } from '../support/invariants.ts'
import { BANKS, enterBankAccount, HOMES, sell } from '../support/payees.ts'
import { openTestService, type TestService } from '../support/service.ts'

const DAY = 86_400
const DELETION = '/account/profile/delete'
const SMALL = /Pay out \$2\.37/

let service: TestService
let agent: Agent
let email: string
before(async () => {
  service = await openTestService()
  await service.world.jobs.start()
  ;({ agent, email } = await signUp(service))
  await agent.open(HOMES.affiliate)
  await agent.submit(/affiliate/, { code: 'leaving-soon' })
  await sell(service, '?ref=leaving-soon')
})
after(() => service.close())

/** Signs in and opens the page on which the account is deleted; returns its text. */
async function deletionPage(): Promise<string> {
  agent = await enterPassword(service, email)
  return textOf((await agent.open(DELETION)).body)
}

test('waits for commission that may still be refunded', async () => {
  const text = await deletionPage()
  assert.match(text, /Your commission includes \$2\.37 that is not available yet/)
  assert.doesNotMatch(text, SMALL)
})

test('asks for a bank account first', async () => {
  service.clock.pass(30 * DAY)
  assert.match(await deletionPage(), /Your commission is \$2\.37, less than the minimum/)
  await agent.submit(SMALL)
  assert.equal(agent.page.url, `${HOMES.affiliate}?done=no_bank`)
  assert.match(agent.text, /Add a bank account first/)
})

test('pays out a balance below the minimum when nothing else blocks the deletion', async () => {
  await enterBankAccount(agent, HOMES.affiliate, BANKS.works)
  assert.doesNotMatch(textOf((await agent.open(HOMES.affiliate)).body), /Pay out now/)
  await deletionPage()
  await agent.submit(SMALL)
  assert.equal(agent.page.url, DELETION)
  assert.match(agent.text, /Your commission is on its way to the bank/)
  assert.doesNotMatch(agent.text, SMALL)
})

test('deletes the account once the payout has arrived', async () => {
  service.clock.pass(DAY)
  await handleEvents(service.world)
  await deletionPage()
  await agent.submit('Delete account', { email })
  assert.match(agent.text, /Account deleted/)
  await assertInvariants(service)
})

test('alerts staff if the bank returns the payout after that', async () => {
  const { db } = service.world
  const { id, processor_payout_id, owner } = await db.one<payouts.Payout>(
    sql`select id, processor_payout_id, owner from payouts`,
  )
  const at = service.clock.now()
  const returned = { key: id, payout_id: processor_payout_id!, reason: 'Account closed.' }
  const event = { kind: 'payout_settled', id: 'evt_returned', outcome: 'failed', at } as const
  await settlePayout(service.world, { ...event, ...returned })
  const alarms = await openAlarms(db)
  assert.deepEqual(
    alarms.map(({ kind, subject }) => [kind, subject]),
    [['payee_left', owner]],
  )
  assert.match(alarms[0]!.message, /returned payout 1 of \$2\.37.* has deleted their account/)
})

test('says that the next one failed, as the processor refuses to send it', async () => {
  const { world } = service
  const { owner } = await world.db.one<payouts.Payout>(sql`select owner from payouts`)
  const id = mintId(world.random, 'po')
  await world.db.run(sql`insert into payouts (id, owner, account, amount, cause, status, created_at)
    values (${id}, ${owner}, 'affiliate_payable', 237, 'weekly', 'open', ${service.clock.now()})`)
  await recordStatus(world, { id, owner }, { status: 'failed', reason: 'No bank.' })
  const [alarm] = await openAlarms(world.db)
  assert.match(alarm!.message, /^Payout 2 of \$2\.37 failed, and the payee has deleted/)
})

test('sends no email that a returned payout arrived, as after a pause of the mail server', async () => {
  const { world } = service
  const queued = await world.db.one<StoredEmail<'payout_paid'>>(
    sql`select id, cause, kind, subject_id, facts, attempts, reached from emails
      where kind = 'payout_paid'`,
  )
  assert.equal(await PAYEE_EMAILS.payout_paid(world, queued), undefined)
})
