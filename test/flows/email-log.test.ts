import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import * as identity from '#domain/identity'
import { deleteAccount } from '#flows/account'
import { EMAIL_QUEUE } from '#platform/email-queue'
import type { Mailer } from '#platform/mail'
import { sql } from '#platform/sql'
import { openOwner } from '../support/account.ts'
import type { Agent } from '../support/agent.ts'
import { eventually } from '../support/eventually.ts'
import { buy } from '../support/refunds.ts'
import { signedIn } from '../support/seller.ts'
import { openTestService, type TestService } from '../support/service.ts'

const HOME = '/admin/emails/'

let service: TestService
let staff: Agent
const sent: string[] = []
const server = { isBroken: false, before: async (_to: string) => {} }
before(async () => {
  const mailer: Mailer = {
    async send(_now, { to }) {
      await server.before(to)
      if (server.isBroken) throw new Error('550 mailbox unavailable')
      sent.push(to)
    },
    close() {},
  }
  service = await openTestService({ mailer })
  await service.listen()
  staff = await signedIn(service, service.demo.operator)
})
after(() => service.close())

async function pageOf(recipient: string): Promise<string> {
  await staff.open(`${HOME}?recipient=${encodeURIComponent(recipient)}`)
  return staff.text
}

test('an email appears with its recipient in any spelling, and as sent', async () => {
  const { email } = await buy(service)
  await eventually('the receipt', async () => sent.includes(email))
  await eventually('its row', async () => /Receipt Sent/.test(await pageOf(email.toUpperCase())))
  assert.match(await pageOf('someone-else@example.com'), /No emails/)
})

test('a failed attempt shows its error; without attempts left, staff sends it again', async () => {
  const { db } = service.world
  server.isBroken = true
  const { email } = await buy(service)
  await eventually('a failure', async () =>
    /Receipt Retrying .* 550 mailbox unavailable/.test(await pageOf(email)),
  )
  assert.throws(() => staff.form('Send again'))
  await db.run(sql`update emails set attempts = ${EMAIL_QUEUE.retries + 1}
    where recipients @> array[${email}]`)
  await staff.open('/admin/')
  assert.match(staff.text, /\d failed email/)
  await staff.open(`${HOME}?state=failed&recipient=${email}`)
  assert.match(staff.text, /Receipt Failed .*12 attempts/)
  server.isBroken = false
  await staff.submit('Send again')
  assert.match(staff.text, /being sent again/)
  const query = new URLSearchParams({ recipient: email, state: 'failed', done: 'resent' })
  assert.equal(staff.page.url, `${HOME}?${query}`)
  await eventually('the receipt', async () => sent.includes(email))
  const { action } = await db.one<{ action: string }>(
    sql`select action from audit_log order by id desc limit 1`,
  )
  assert.equal(action, 'email.resent')
})

test('an email whose last attempt was cut off counts as failed after a day, and is sent again', async () => {
  const { db } = service.world
  server.isBroken = true
  const { email } = await buy(service)
  await eventually('a failure', async () => /Receipt Retrying/.test(await pageOf(email)))
  const rows = sql`recipients @> array[${email}]`
  // The process that sent it was killed: nothing was noted, and the queue has no further attempt.
  await db.run(sql`update emails set attempts = ${EMAIL_QUEUE.retries},
    queued_at = queued_at - interval '25 hours' where ${rows}`)
  assert.match(await pageOf(email), /Receipt Failed/)
  server.isBroken = false
  await staff.submit('Send again')
  await eventually('the receipt', async () => sent.includes(email))
})

// Guards S16: a deleted account's address is in no log.
for (const fails of [false, true]) {
  const end = fails ? 'fails' : 'succeeds'
  test(`an email that is being sent while its account is deleted logs no address if it ${end}`, async () => {
    const { db } = service.world
    const sending = Promise.withResolvers<void>()
    const deleted = Promise.withResolvers<void>()
    server.before = async (to) => {
      if (to !== email) return
      sending.resolve()
      await deleted.promise
      if (fails) throw new Error(`550 ${email} is unavailable`)
    }
    const email = `leaving-${end}@example.com`
    const { user_id } = await buy(service, { email, price: 2 })
    await sending.promise
    const owner = await openOwner(service, { user_id, email })
    assert.equal((await deleteAccount(service.world, owner)).outcome, 'deleted')
    deleted.resolve()
    const ended = sql`select id from emails where attempts > 0
      and recipients @> array[${identity.addressOfDeleted(user_id)}::text]`
    await eventually('the end of the send', async () => (await db.rows(ended)).length > 0)
    const { found } = await db.one<{ found: number }>(sql`select count(*)::int as found
      from emails where position(${email} in emails::text) > 0`)
    assert.equal(found, 0)
    server.before = async () => {}
  })
}
