import assert from 'node:assert/strict'
import { once } from 'node:events'
import { after, before, test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import PostalMime, { type Email } from 'postal-mime'
import { SMTPServer } from 'smtp-server'
import * as apps from '#domain/apps'
import * as identity from '#domain/identity'
import * as sellers from '#domain/sellers'
import { EMAIL_QUEUE, queueEmail } from '#platform/email-queue'
import { type EmailId, mintId } from '#platform/ids'
import { smtpMailer } from '#platform/mail'
import { sql } from '#platform/sql'
import { eventually } from '../support/eventually.ts'
import { buyer, licenseKey, purchase } from '../support/purchase.ts'
import { openTestService, type TestService } from '../support/service.ts'

/** How many emails the server turns away before it takes one. */
let refusals = 0
const taken: Email[] = []
const refused: Email[] = []
/** Receipts are not taken before this is settled. */
let blocked: Promise<void> | undefined
let blockedNow = 0
/** What the server says of recipients that it never takes. */
const REFUSED: Record<string, string> = {
  'missing@example.com': '5.1.1 there is no such mailbox',
  'relayed@example.com': '5.7.1 relaying denied',
}
/** How often the server turns a recipient away for now, before it takes one. */
const deferrals = new Map<string, number>()
/** The recipients of every message that the server took, by its ID. */
const delivered: { message_id: string | undefined; recipients: string[] }[] = []
const server = new SMTPServer({
  authOptional: true,
  disabledCommands: ['STARTTLS'],
  onRcptTo({ address }, _session, done) {
    const left = deferrals.get(address) ?? 0
    if (left > 0) {
      deferrals.set(address, left - 1)
      return done(Object.assign(new Error('4.7.1 greylisted'), { responseCode: 450 }))
    }
    const refusal = REFUSED[address]
    done(refusal === undefined ? null : Object.assign(new Error(refusal), { responseCode: 550 }))
  },
  async onData(stream, session, done) {
    const chunks: Buffer[] = []
    for await (const chunk of stream) chunks.push(chunk)
    const email = await PostalMime.parse(Buffer.concat(chunks))
    const recipients = session.envelope.rcptTo.map(({ address }) => address)
    delivered.push({ message_id: email.messageId, recipients })
    // The seller gets an email for each sale too, beside the buyer and in no fixed order.
    if (email.to?.[0]?.address === service.demo.seller.email) return done()
    if (blocked && email.subject?.includes('receipt')) {
      blockedNow++
      await blocked
    }
    if (refusals > 0) {
      refusals--
      refused.push(email)
      done(Object.assign(new Error('try again later'), { responseCode: 451 }))
      return
    }
    taken.push(email)
    done()
  },
})

let service: TestService
before(async () => {
  server.listen(0, '127.0.0.1')
  await once(server.server, 'listening')
  const { port } = server.server.address() as { port: number }
  service = await openTestService({
    settings: {
      SMTP_URL: `smtp://127.0.0.1:${port}`,
      MAIL_FROM: 'receipts@purser.example',
      OPERATOR_NAME: 'Harbor Software, Inc.',
      SUPPORT_EMAIL: 'help@harbor.example',
    },
  })
  await service.world.jobs.start()
})
after(async () => {
  await service.close()
  await new Promise<void>((resolve) => server.close(() => resolve()))
})

async function receivedEmail(index: number): Promise<Email> {
  while (taken.length <= index) await setImmediate()
  return taken[index]!
}

test("the receipt reaches a mail server, with receipt, key, links and only the card's last digits", async () => {
  const page = await purchase(service, buyer(service), { email: 'Mail.Reader@example.com' })
  const receipt = await receivedEmail(0)
  assert.equal(receipt.to?.[0]?.address, 'Mail.Reader@example.com')
  // F26: it comes from the operator, and answers reach the operator's support.
  const sender = { name: 'Harbor Software, Inc.', address: 'receipts@purser.example' }
  assert.deepEqual(receipt.from, sender)
  assert.equal(receipt.replyTo?.[0]?.address, 'help@harbor.example')
  assert.equal(receipt.subject, 'Your receipt for Tidepool Pro')
  for (const body of [receipt.text!, receipt.html!]) {
    for (const part of [
      'Sold by Harbor Software, Inc.',
      'PURSERDEMO* TIDEPOOL',
      'help@harbor.example',
      '1 Demo Street',
      '/refunds/',
      licenseKey(page),
      '$12.00',
      '$0.60',
      '$12.60',
      'Visa ending in 4242',
      '/link/verify_email/',
      '/link/set_password/',
      '/link/not_me/',
      `/manage/${service.demo.app.client_id}/`,
    ]) {
      assert.ok(body.includes(part), `the email lacks ${part}`)
    }
    assert.ok(!body.includes('424242424242'))
  }
  const [pdf] = receipt.attachments
  assert.match(String(pdf?.filename), /^PUR-\d{6}\.pdf$/)
  assert.equal(pdf?.mimeType, 'application/pdf')
})

test('a rejected email is retried, and arrives once', async () => {
  refusals = 1
  // The queue pauses before a retry; the test does not wait for it.
  await purchase(service, buyer(service), { email: 'patient@example.com' })
  while (refusals > 0) await setImmediate()
  const { db } = service.world
  const isWaiting = sql`select 1 from pgboss.job where name = 'emails' and state = 'retry'`
  while (!(await db.maybe(isWaiting))) await setImmediate()
  await db.run(sql`update pgboss.job set start_after = now() where state = 'retry'`)
  const receipt = await receivedEmail(1)
  assert.equal(receipt.to?.[0]?.address, 'patient@example.com')
  // R7: a server that took the first copy after all can tell that this is the same.
  assert.equal(receipt.messageId, refused[0]?.messageId)
  while (await db.maybe(sql`select 1 from emails where sent_at is null`)) await setImmediate()
  assert.equal(taken.length, 2)
})

test('an email is not retried if the mailbox does not exist, and is if the sender is refused', async () => {
  const { db } = service.world
  const attempts = async (address: string) => {
    const found = sql`select attempts from emails
      where recipients @> array[${address}] and kind = 'receipt' and attempts > 0`
    for (;;) {
      const row = await db.maybe<{ attempts: number }>(found)
      if (row) return row.attempts
      await setImmediate()
    }
  }
  await purchase(service, buyer(service), { email: 'missing@example.com' })
  assert.ok((await attempts('missing@example.com')) > EMAIL_QUEUE.retries)
  await purchase(service, buyer(service), { email: 'relayed@example.com' })
  assert.equal(await attempts('relayed@example.com'), 1)
  assert.equal(taken.length, 2)
  await db.run(sql`delete from pgboss.job where state = 'retry'`)
})

test('a buyer with a confirmed account gets no links for a new one', async () => {
  const agent = buyer(service)
  await agent.open('/signin/')
  const { email, password } = service.demo.buyer
  await agent.submit('Sign in', { email, password })
  await purchase(service, agent, { email })
  const receipt = await receivedEmail(2)
  assert.doesNotMatch(receipt.text!, /\/link\//)
  assert.match(receipt.text!, /\/manage\//)
})

// S15
test('mail to another machine is sent with TLS or not at all', async () => {
  const { port } = server.server.address() as { port: number }
  const before = taken.length
  // The same server by an address that is not the loopback's; it offers no TLS.
  const mailer = smtpMailer(`smtp://0.0.0.0:${port}`, {
    from: 'Purser <receipts@purser.example>',
    reply_to: 'support@purser.example',
  })
  const message = { message_id: '<1@x>', to: 'a@example.com', subject: 's', html: 'h', text: 't' }
  await assert.rejects(mailer.send(service.clock.now(), message), /TLS/)
  mailer.close()
  assert.equal(taken.length, before)
})

test('no text of a visitor or a seller adds a header or a recipient to an email', async () => {
  const { port } = server.server.address() as { port: number }
  const before = taken.length
  const mailer = smtpMailer(`smtp://127.0.0.1:${port}`, {
    from: 'Purser <receipts@purser.example>',
    reply_to: 'support@purser.example',
  })
  const injected = '\r\nBcc: evil@example.com\r\n\r\nother words'
  await mailer.send(service.clock.now(), {
    message_id: '<2@x>',
    to: 'a@example.com',
    subject: `Your receipt for Tide${injected}`,
    html: 'h',
    text: 't',
  })
  mailer.close()
  const email = await receivedEmail(before)
  assert.deepEqual([email.bcc, email.cc], [undefined, undefined])
  assert.deepEqual(
    email.to?.map(({ address }) => address),
    ['a@example.com'],
  )
  assert.doesNotMatch(email.text!, /other words/)
})

// R8
test('a sign-in link does not wait for receipts, which are sent concurrently', async () => {
  const { db, jobs, random } = service.world
  let release = () => {}
  blocked = new Promise((resolve) => {
    release = resolve
  })
  const before = taken.length
  const receipts = EMAIL_QUEUE.parallel! + 5
  const { subject_id } = await db.one<{ subject_id: string }>(
    sql`select invoice_id as subject_id from orders limit 1`,
  )
  await db.tx(async (tx) => {
    for (let index = 0; index < receipts; index++) {
      await queueEmail(tx, service.clock.now(), jobs, {
        id: mintId(random, 'email'),
        cause: `bulk:${index}`,
        kind: 'receipt',
        subject_id,
      })
    }
  })
  while (blockedNow < EMAIL_QUEUE.parallel!) await setImmediate()
  const agent = buyer(service)
  await agent.open('/signin/')
  await agent.submit('Email me a sign-in link', { email: service.demo.buyer.email })
  const first = await receivedEmail(before)
  assert.match(first.subject!, /[Ss]ign/)
  assert.equal(taken.length, before + 1)
  blocked = undefined
  release()
  await receivedEmail(before + receipts)
})

test('no more connections are opened than the query of the URL allows', async () => {
  let [connected, most] = [0, 0]
  const small = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    onConnect(_session, done) {
      most = Math.max(most, ++connected)
      done()
    },
    onClose: () => void connected--,
    onData(stream, _session, done) {
      stream.on('end', done).resume()
    },
  })
  small.listen(0, '127.0.0.1')
  await once(small.server, 'listening')
  const { port } = small.server.address() as { port: number }
  const sender = 'receipts@purser.example'
  const mailer = smtpMailer(`smtp://127.0.0.1:${port}?maxConnections=2`, {
    from: sender,
    reply_to: sender,
  })
  const emails = Array.from({ length: 6 }, (_, index) => ({
    message_id: `<${index}@purser.example>`,
    to: 'buyer@example.com',
    subject: 'Receipt',
    html: '<p>Thank you</p>',
    text: 'Thank you',
  }))
  await Promise.all(emails.map((each) => mailer.send(service.clock.now(), each)))
  assert.equal(most, 2)
  mailer.close()
  await new Promise<void>((resolve) => small.close(() => resolve()))
})

test('an email that a server takes for some recipients is retried for the others alone', async () => {
  const { db, clock } = service.world
  const { seller_id } = await apps.get(db, service.demo.app.client_id)
  const { email: away } = service.demo.buyer
  const { id: user_id } = (await identity.findByEmail(db, away))!
  await sellers.addMember(db, clock.now(), { seller_id, user_id, role: 'admin' })
  deferrals.set(away, 1)
  await purchase(service, buyer(service), { email: 'team-mate@example.com' })
  const isWaiting = sql`select id from emails where sent_at is null and error like '%greylisted%'`
  const { id } = await eventually('a retry', () => db.maybe<{ id: EmailId }>(isWaiting))
  await eventually('its job', () =>
    db.maybe(sql`select 1 from pgboss.job where state = 'retry' and data ->> 'email_id' = ${id}`),
  )
  await db.run(sql`update pgboss.job set start_after = now() where state = 'retry'`)
  const sent = sql`select recipients from emails where id = ${id} and sent_at is not null`
  const { recipients } = await eventually('both', () => db.maybe<{ recipients: string[] }>(sent))
  const { email: first } = service.demo.seller
  assert.deepEqual(recipients.toSorted(), [first, away].toSorted())
  const copies = delivered.filter(({ message_id }) => message_id?.includes(id))
  assert.deepEqual(
    copies.map((copy) => copy.recipients),
    [[first], [away]],
  )
  await sellers.removeMember(db, { seller_id, user_id })
})
