import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import * as identity from '#domain/identity'
import * as payments from '#domain/payments'
import { mintId } from '#platform/ids'
import { sql } from '#platform/sql'
import { ACCOUNT_EMAILS } from '../../src/surfaces/emails/account.ts'
import {
  addPasskey,
  codeOf,
  enterPassword,
  isSignedIn,
  newEmail,
  signUp,
} from '../support/account.ts'
import type { Agent } from '../support/agent.ts'
import { untilBlocked } from '../support/blocked.ts'
import { emailTo, linkIn } from '../support/mailbox.ts'
import { buyer } from '../support/purchase.ts'
import { openTestService, type TestService } from '../support/service.ts'

const SECURITY = '/account/security/'

let service: TestService
before(async () => {
  service = await openTestService()
  await service.world.jobs.start()
})
after(() => service.close())

/** A browser at a page. */
async function at(agent: Agent, url: string): Promise<Agent> {
  await agent.open(url)
  return agent
}

describe('a new email', () => {
  /** An owner who asked for another address, and the paths of the emails' links. */
  async function ask() {
    const { email, agent } = await signUp(service)
    const wanted = newEmail()
    await agent.open(`${SECURITY}email`)
    await agent.submit('Send confirmation email', { email: wanted })
    const confirm = linkIn(await emailTo(service, wanted, /^Confirm your new/), 'change_email')
    const undo = linkIn(await emailTo(service, email, /^Your email is about/), 'undo_email')
    return { email, wanted, agent, confirm, undo }
  }

  const change = async (path: string) => {
    const agent = buyer(service)
    await agent.open(path)
    await agent.submit('Change my email')
    return agent
  }

  test('changes nothing before it is confirmed, and then notifies both addresses', async () => {
    const { email, wanted, agent, confirm } = await ask()
    assert.match((await at(agent, SECURITY)).text, new RegExp(`Signed in as ${email}.*Waiting for`))
    assert.ok(await isSignedIn(await enterPassword(service, email)))
    const answered = await change(confirm)
    assert.match(answered.text, /Email changed/)
    assert.ok(!(await isSignedIn(answered)), 'a link for an address opens no account')
    assert.match((await at(agent, SECURITY)).text, new RegExp(`Signed in as ${wanted}`))
    assert.ok(await isSignedIn(await enterPassword(service, wanted)))
    assert.ok(!(await isSignedIn(await enterPassword(service, email))))
    await emailTo(service, email, /^Your email was changed/)
    assert.equal((await buyer(service).open(confirm)).status, 404)
  })

  test('revokes all links in the old mailbox, except the undo link', async () => {
    const { email, wanted, confirm } = await ask()
    const agent = buyer(service)
    await agent.open('/signin/')
    await agent.submit('I forgot my password', { email })
    const reset = linkIn(await emailTo(service, email, /^Set a new password/), 'set_password')
    await change(confirm)
    assert.equal((await buyer(service).open(reset)).status, 404)
    // The evidence for a bank lists the links that were used.
    const { db } = service.world
    const { id } = (await identity.findByEmail(db, wanted))!
    assert.deepEqual(await identity.linksUsed(db, id), [])
  })

  test('can be undone from the old mailbox for seven days, which signs out every browser', async () => {
    const { email, wanted, agent, confirm } = await ask()
    await addPasskey(service, agent)
    await change(confirm)
    const path = linkIn(await emailTo(service, email, /^Your email was changed/), 'undo_email')
    service.clock.pass(7 * 86_400 - 60)
    const owner = buyer(service)
    await owner.open(path)
    await owner.submit('Keep this email')
    // No second factor is asked for that came after the change was asked for.
    assert.match(owner.text, /Set your password/)
    await owner.submit('Save password', { password: 'the owner walks along the shore' })
    assert.match(owner.text, new RegExp(`Signed in as ${email}`))
    assert.ok(!(await isSignedIn(agent)))
    assert.ok(!(await isSignedIn(await enterPassword(service, email))))
    assert.ok(!(await isSignedIn(await enterPassword(service, wanted))))
    assert.match((await at(owner, SECURITY)).text, /Passkeys Off/)
  })

  test('can be undone without a factor whose setup began before it was asked for', async () => {
    const { email, agent } = await signUp(service)
    await agent.open(SECURITY)
    await agent.submit('Set up an authenticator app')
    service.clock.pass(1)
    const other = agent.tab()
    await other.open(`${SECURITY}email`)
    await other.submit('Send confirmation email', { email: newEmail() })
    const path = linkIn(await emailTo(service, email, /^Your email is about/), 'undo_email')
    const secret = /id="setup_key"[^>]*>([A-Z2-7]{32})</.exec(agent.page.body)?.[1]
    await agent.submit('Turn it on', { code: codeOf(service, secret!) })
    assert.match(agent.text, /recovery codes/i)
    const owner = buyer(service)
    await owner.open(path)
    await owner.submit('Keep this email')
    assert.match(owner.text, /Set your password/)
  })

  test('waits for its account before it locks what a deletion of the account locks', async () => {
    const { db } = service.world
    for (const [which, button] of [
      ['confirm', 'Change my email'],
      ['undo', 'Keep this email'],
    ] as const) {
      const { email, wanted, [which]: path } = await ask()
      const agent = buyer(service)
      await agent.open(path)
      const { id } = (await identity.findByEmail(db, email))!
      const begun = Promise.withResolvers<void>()
      const answered = begun.promise.then(() => agent.submit(button))
      await db.tx(async (tx) => {
        await identity.lockForDeletion(tx, id)
        begun.resolve()
        if (db.engine !== 'postgresql') return
        await untilBlocked(tx, db)
        await tx.run(sql`set local lock_timeout = '100ms'`)
        await payments.lockEmails(tx, [email, wanted])
        await tx.rows(sql`select 1 from email_changes where user_id = ${id} for update`)
        await tx.rows(sql`select 1 from account_links where user_id = ${id} for update`)
      })
      await answered
      assert.equal(agent.page.status, 200, which)
    }
  })

  test('ends the links of emails that are being written to the old mailbox', async () => {
    const { world } = service
    const { db, random } = world
    const { email } = await signUp(service)
    const { id: user_id } = (await identity.findByEmail(db, email))!
    const kinds = ['sign_in', 'set_password'] as const
    const begun = Promise.withResolvers<void>()
    const written = kinds.map(async (kind) => {
      await begun.promise
      const queued = { id: mintId(random, 'email'), cause: kind, attempts: 0, reached: [] }
      return await ACCOUNT_EMAILS[kind](world, { ...queued, kind, subject_id: email, facts: {} })
    })
    const settled = Promise.allSettled(written)
    // What a confirmed change does, up to its commit.
    await db.tx(async (tx) => {
      await identity.setEmail(tx, { user_id, ...identity.readEmail(newEmail())! })
      await identity.expireLinks(tx, service.clock.now(), user_id)
      begun.resolve()
      await untilBlocked(tx, db, kinds.length)
    })
    const ends = await settled
    const links = await db.rows(sql`select 1 from account_links
      where user_id = ${user_id} and used_at is null and expires_at > ${service.clock.now()}`)
    assert.deepEqual(links, [])
    if (db.engine !== 'postgresql') return
    for (const { status } of ends) assert.equal(status, 'rejected')
  })

  test('whose undo finds the old address taken at that moment locks the account', async () => {
    const { world, clock } = service
    const { db } = world
    const { email, confirm, undo } = await ask()
    await change(confirm)
    const agent = buyer(service)
    await agent.open(undo)
    const begun = Promise.withResolvers<void>()
    const answered = begun.promise.then(() => agent.submit('Keep this email'))
    await db.tx(async (tx) => {
      const owner = { ...identity.readEmail(email)!, created_via: 'signup' } as const
      await identity.findOrAddUser(tx, clock.now(), { id: mintId(world.random, 'usr'), ...owner })
      begun.resolve()
      await untilBlocked(tx, db)
    })
    await answered
    assert.equal(agent.page.status, 409)
  })

  test('can be withdrawn before it is confirmed', async () => {
    const { email, agent, confirm, undo } = await ask()
    const owner = buyer(service)
    await owner.open(undo)
    await owner.submit('Keep this email')
    for (const path of [confirm, undo]) {
      assert.equal((await buyer(service).open(path)).status, 404)
    }
    assert.ok(!(await isSignedIn(agent)))
    assert.match((await at(owner, SECURITY)).text, new RegExp(`Signed in as ${email}`))
  })

  test('cannot be undone after seven days, and the request expires after one', async () => {
    const { email, confirm, undo } = await ask()
    service.clock.pass(86_400)
    const late = buyer(service)
    assert.equal((await late.open(confirm)).status, 404)
    service.clock.pass(6 * 86_400)
    assert.equal((await late.open(undo)).status, 404)
    assert.ok(await isSignedIn(await enterPassword(service, email)))
  })

  test('that already has an account is reported by email only', async () => {
    const [{ email, agent }, { email: taken }] = [await signUp(service), await signUp(service)]
    await agent.open(`${SECURITY}email`)
    await agent.submit('Send confirmation email', { email: taken })
    assert.match(agent.text, /We sent an email to the new address/)
    const message = await emailTo(service, taken, /^This email already has a Purser account/)
    assert.ok(!message.includes('/link/'))
    assert.ok(!message.includes(email))
  })

  test('is requested once at a time: a later request replaces the earlier one', async () => {
    const { wanted, agent, confirm } = await ask()
    const better = newEmail()
    await agent.open(`${SECURITY}email`)
    await agent.submit('Send confirmation email', { email: better })
    assert.equal((await buyer(service).open(confirm)).status, 404)
    const path = linkIn(await emailTo(service, better, /^Confirm your new/), 'change_email')
    await change(path)
    assert.match((await at(agent, SECURITY)).text, new RegExp(`Signed in as ${better}`))
    assert.ok(!(await isSignedIn(await enterPassword(service, wanted))))
  })

  test('must be a valid address, and a different one', async () => {
    const { email, agent } = await signUp(service)
    await agent.open(`${SECURITY}email`)
    for (const [value, reason] of [
      ['no address', /Enter an email address/],
      [email.toUpperCase(), /This is already your email/],
    ] as const) {
      await agent.submit('Send confirmation email', { email: value })
      assert.equal(agent.page.status, 422)
      assert.match(agent.text, reason)
    }
  })
})
