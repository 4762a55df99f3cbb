import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import * as apps from '#domain/apps'
import * as billing from '#domain/billing'
import * as ledger from '#domain/ledger'
import { keyHash } from '#domain/licensing'
import { recordUses } from '#flows/record-uses'
import { renewDue } from '#flows/subscription'
import { sql } from '#platform/sql'
import { handleEvents } from '#surfaces/processor-events/worker'
import { codeOf } from '../support/account.ts'
import { textOf } from '../support/agent.ts'
import { CARD } from '../support/cards.ts'
import {
  decideDispute,
  disputeCharge,
  disputeOf,
  latestCharge,
  owedToSeller,
} from '../support/disputes.ts'
import { assertInvariantsAndClose } from '../support/invariants.ts'
import { advanceAndHandleEvents, buy, refund, stateOf } from '../support/refunds.ts'
import { signedIn } from '../support/seller.ts'
import { auditOf, openSellerAndStaff, type SellerAndStaff } from '../support/seller-and-staff.ts'
import { openTestService, type TestService } from '../support/service.ts'

const BASE = '/dashboard/apps/tidepool'

let service: TestService
let sides: SellerAndStaff
before(async () => {
  service = await openTestService()
  sides = await openSellerAndStaff(service)
})
after(() => assertInvariantsAndClose(service))

const seller = () => sides.seller()
const staff = () => sides.staff()

describe('a dispute', () => {
  test('is answered with the evidence on record and a statement, and the page shows what was sent', async () => {
    const bought = await buy(service, { card: CARD.fraudulent })
    await recordUses(service.world)
    await handleEvents(service.world)
    const dispute = (await disputeOf(service, bought))!
    const agent = seller()
    await agent.open(`${BASE}/sales/`)
    assert.match(agent.text, /1 payment in dispute/)
    const page = await agent.open(`${BASE}/disputes/${dispute.id}/`)
    assert.match(textOf(page.body), /The license key was shown to the buyer/)
    const long = await agent.submit('Submit evidence', { statement: 'x'.repeat(2001) })
    assert.equal(long.status, 422)
    const turned = await agent.submit('Submit evidence', { statement: 'They \u202ethanked us.' })
    assert.match(textOf(turned.body), /Must not contain control characters\./)
    const sent = await agent.submit('Submit evidence', { statement: 'They wrote to thank us.' })
    assert.match(textOf(sent.body), /Evidence submitted/)
    assert.match(textOf(sent.body), /They wrote to thank us\./)
    assert.equal((await auditOf(service, 'dispute.evidence_sent')).length, 1)
    await advanceAndHandleEvents(service, 8)
    await sides.signInAgain()
    assert.equal((await stateOf(service, bought)).status, 'active')
    const late = await staff().open(`/admin/disputes/${dispute.id}/`)
    assert.match(textOf(late.body), /decided for the seller/)
    assert.ok(!late.body.includes('Submit evidence'))
  })
})

describe('an inquiry', () => {
  test('is not counted among payments in dispute, as the bank has withdrawn nothing', async () => {
    const asked = await buy(service, { card: CARD.inquiry })
    await handleEvents(service.world)
    const agent = seller()
    const waiting = async () =>
      /\d+ (payment|inquir).*?evidence due/.exec((await agent.open(`${BASE}/sales/`)) && agent.text)
    assert.match((await waiting())![0], /^1 inquiry \$12\.60 by \S+ \(inquiry\): evidence due/)
    const { seller_id } = (await apps.findBySlug(service.world.db, 'tidepool'))!
    const figures = `/admin/sellers/${seller_id}/`
    assert.match(textOf((await staff().open(figures)).body), /Open disputes 0/)
    assert.match(
      textOf((await agent.open(`${BASE}/`)).body),
      /Disputes and inquiries .*Inquiry\. Evidence due/,
    )
    const disputed = await buy(service)
    const dispute = await disputeCharge(service, disputed.charge)
    assert.match((await waiting())![0], /^1 payment in dispute, 1 inquiry/)
    assert.match(textOf((await staff().open(figures)).body), /Open disputes 1/)
    await decideDispute(service, dispute, 'won')
    await refund(service, asked)
    await handleEvents(service.world)
    assert.equal(await waiting(), null)
  })
})

describe('evidence that the seller and staff submit', () => {
  test('is not replaced from a page that does not show it', async () => {
    const bought = await buy(service, { card: CARD.not_received })
    await handleEvents(service.world)
    const { id } = (await disputeOf(service, bought))!
    const agent = seller()
    await agent.open(`${BASE}/disputes/${id}/`)
    const colleague = staff()
    await colleague.open(`/admin/disputes/${id}/`)
    await agent.submit('Submit evidence', { statement: 'They used it for a week.' })
    const late = await colleague.submit('Submit evidence', { statement: 'See our logs.' })
    assert.equal(late.status, 409)
    assert.match(textOf(late.body), /since you opened this page, and yours was not sent/)
    assert.match(textOf(late.body), /They used it for a week\./)
    const statement = async () => (await disputeOf(service, bought))!.evidence?.uncategorized_text
    assert.equal(await statement(), 'They used it for a week.')
    await colleague.submit('Submit evidence', { statement: 'See our logs.' })
    assert.equal(await statement(), 'See our logs.')
  })
})

describe('an inquiry that a refund closed', () => {
  test('is not called a decision of the bank for the seller', async () => {
    const bought = await buy(service, { card: CARD.inquiry })
    await handleEvents(service.world)
    const { id } = (await disputeOf(service, bought))!
    assert.equal((await refund(service, bought)).outcome, 'refunded')
    await handleEvents(service.world)
    const page = await seller().open(`${BASE}/disputes/${id}/`)
    assert.match(textOf(page.body), /The bank closed the inquiry\. No funds were withdrawn\./)
    assert.doesNotMatch(textOf(page.body), /decided for the seller/)
  })

  test('is called closed, not won, on every page that lists it', async () => {
    const bought = await buy(service, { card: CARD.inquiry })
    await handleEvents(service.world)
    const { id } = (await disputeOf(service, bought))!
    const agent = seller()
    const customer = `${BASE}/customers/${bought.license_id}/`
    assert.match(textOf((await agent.open(customer)).body), /Inquiry opened/)
    await refund(service, bought)
    await handleEvents(service.world)
    const invoice = `${BASE}/sales/${bought.invoice_id}/`
    for (const path of [`${BASE}/disputes/${id}/`, invoice, customer]) {
      const text = textOf((await agent.open(path)).body)
      assert.match(text, /Inquiry closed/, path)
      assert.doesNotMatch(text, /\bwon\b/i, path)
    }
    // The license has ended, so its page has no actions, but it still leads to the dispute.
    assert.ok(agent.page.body.includes(`${BASE}/disputes/${id}/`))
  })
})

describe('a dispute of a license that had ended', () => {
  test('does not promise that the key works again', async () => {
    const bought = await buy(service)
    service.clock.pass(31 * 86_400)
    while ((await renewDue(service.world)) > 0);
    const { invoice_id } = await latestCharge(service, bought)
    assert.equal((await refund(service, { invoice_id })).outcome, 'refunded')
    await sides.signInAgain()
    const dispute = await disputeCharge(service, bought.charge)
    const page = await seller().open(`${BASE}/disputes/${dispute.id}/`)
    assert.match(textOf(page.body), /already ended\. If you win, .* the license stays canceled\./)
  })
})

describe('the admin area', () => {
  test('lists open items, and lets staff pay, write off, suspend and reinstate, each with a reason', async () => {
    const owed = await buy(service, { card: CARD.comes_back })
    await refund(service, owed, 300)
    await advanceAndHandleEvents(service, 2)
    await sides.signInAgain()
    const disputed = await buy(service, { price: 2 })
    await disputeCharge(service, disputed.charge)
    // Each dispute of a sale costs $15 and its fee more than the sale had earned.
    while ((await owedToSeller(service)) >= 0) {
      await disputeCharge(service, (await buy(service, { price: 2 })).charge)
    }
    const { operator } = service.demo
    const agent = await signedIn(service, operator)
    await agent.open('/admin/cases/')
    assert.match(agent.text, /payable to buyers/)
    assert.match(
      agent.text,
      /Owed to Purser .* Tidepool Works LLC\. Open disputes may return \$\d[\d.]* and their fees\./,
    )
    assert.ok(agent.page.body.includes(owed.email) && agent.page.body.includes(disputed.email))
    await agent.submit('Mark as repaid', { reason: '' })
    assert.match(agent.text, /Not done\..* Give a reason for the audit log/)
    // S10: re-authentication is required, and the form is restored.
    service.clock.pass(600)
    await agent.submit('Mark as repaid', { reason: 'Check 17' })
    const code = codeOf(service, operator.totp_secret)
    await agent.submit('Confirm', { password: operator.password, code })
    await agent.submit('Mark as repaid')
    assert.match(agent.text, /Marked as repaid/)
    assert.equal((await auditOf(service, 'buyer.paid_otherwise'))[0]?.detail.reason, 'Check 17')

    await agent.submit('Write off', { reason: 'Out of business' })
    assert.match(agent.text, /Written off/)
    assert.ok(!agent.text.includes('Owed to Purser'))

    const suspended = await buy(service)
    await agent.open(`/admin/cases/?q=${suspended.email}`)
    await agent.submit('Pause', { reason: 'A stolen card?' })
    assert.equal((await stateOf(service, suspended)).status, 'paused')
    await agent.submit('Resume', { reason: 'The buyer confirmed the purchase.' })
    assert.equal((await stateOf(service, suspended)).status, 'active')
    assert.equal((await auditOf(service, 'license.suspended')).length, 1)
    assert.equal((await auditOf(service, 'license.reinstated')).length, 1)
    const unknown = await agent.open('/admin/cases/?q=unknown')
    assert.match(textOf(unknown.body), /No match/)
  })

  // Threat 39
  test('finds a license by its key, and keeps the key in no address', async () => {
    const bought = await buy(service)
    const agent = staff()
    for (const page of ['/admin/', '/admin/cases/']) {
      const { body } = await agent.open(page)
      assert.match(body, /<form method="post" action="\/admin\/cases\/search"/)
      const found = await agent.submit('Search', { q: bought.license_key })
      assert.equal(found.url, `/admin/cases/?q=${bought.license_id}`)
      assert.match(textOf(found.body), new RegExp(bought.email))
    }
    const linked = await agent.open(`/admin/cases/?q=${bought.license_key}`)
    assert.equal(linked.url, `/admin/cases/?q=${bought.license_id}`)
    const { db, keys } = service.world
    const hash = (value: Buffer) =>
      db.run(sql`update licenses set key_hash = ${value} where id = ${bought.license_id}`)
    await hash(Buffer.from('replaced'))
    const unknown = await agent.submit('Search', { q: bought.license_key })
    await hash(keyHash(keys, bought.license_key))
    assert.equal(unknown.url, '/admin/cases/?q=Unknown+license+key')
    assert.match(textOf(unknown.body), /No match/)
  })

  test('refuses a reason that is too long or has control characters, and keeps it', async () => {
    const bought = await buy(service)
    const agent = staff()
    const shown = (reason: string) => agent.form('Pause').reason === reason
    await agent.open(`/admin/cases/?q=${bought.email}`)
    const long = 'x'.repeat(201)
    await agent.submit('Pause', { reason: long })
    assert.match(agent.text, /Use at most 200 characters\. This text has 201/)
    assert.ok(shown(long))
    const turned = 'Called \u202eabout it'
    await agent.submit('Pause', { reason: turned })
    assert.match(agent.text, /Must not contain control characters/)
    assert.ok(shown(turned))
    await agent.submit('Pause', { reason: '' })
    assert.match(agent.text, /Give a reason for the audit log/)
    assert.equal((await stateOf(service, bought)).status, 'active')
    await agent.submit('Pause', { reason: '💳'.repeat(200) })
    assert.equal((await stateOf(service, bought)).status, 'paused')
    await agent.open('/admin/cases/')
    const resume = agent.form('Resume')
    await agent.submit('Resume', { reason: long })
    assert.deepEqual(agent.form('Resume'), { ...resume, reason: long })
    await agent.submit('Resume', { reason: 'They called.' })
    assert.equal((await stateOf(service, bought)).status, 'active')
  })

  test('a page that shows a refused reason again has the error in its title', async () => {
    const agent = staff()
    const { email } = await buy(service)
    const { id, seller_id } = await apps.get(service.world.db, service.demo.app.client_id)
    for (const [page, button] of [
      [`/admin/cases/?q=${email}`, 'Pause'],
      [`/admin/sellers/${seller_id}/`, 'Suspend'],
      [`/admin/apps/${id}/`, 'Suspend'],
    ] as const) {
      await agent.open(page)
      assert.doesNotMatch(agent.page.body, /<title>Error: /)
      await agent.submit(button, { reason: '' })
      assert.match(agent.page.body, /<title>Error: .+ · Purser</, page)
    }
  })

  test('a search finds the latest twenty licenses, and says that there are more', async () => {
    const { license_id, email } = await buy(service)
    const rollback = new Error('roll back')
    const search = async (copies: number) => {
      const query = { id: license_id, email_normalized: email, number: null }
      let found: billing.FoundLicenses | undefined
      await service.world.db
        .tx(async (tx) => {
          await tx.run(sql`insert into licenses
            select (jsonb_populate_record(l, jsonb_build_object('id', 'lic_' || n,
              'status', 'canceled', 'key_hash', decode(lpad(n::text, 4, '0'), 'hex')))).*
            from licenses l, generate_series(1, ${copies}::int) n where l.id = ${license_id}`)
          found = await billing.findLicenses(tx, query)
          throw rollback
        })
        .catch((error) => assert.equal(error, rollback))
      return { count: found!.licenses.length, has_more: found!.has_more }
    }
    assert.deepEqual(await search(19), { count: 20, has_more: false })
    assert.deepEqual(await search(20), { count: 20, has_more: true })
  })

  test('says that a license stays paused for its dispute after staff resume it', async () => {
    const bought = await buy(service)
    const agent = await signedIn(service, service.demo.operator)
    await agent.open(`/admin/cases/?q=${bought.email}`)
    await agent.submit('Pause', { reason: 'A stolen card?' })
    await disputeCharge(service, bought.charge)
    await agent.open('/admin/cases/')
    await agent.submit('Resume', { reason: 'The buyer confirmed the purchase.' })
    assert.match(agent.text, /stays paused until its dispute is decided/)
    assert.equal((await stateOf(service, bought)).status, 'paused')
  })

  test('lists in the activity of a seller what staff did with its sales, and not who', async () => {
    const bought = await buy(service)
    await refund(service, bought, 300, 'operator')
    const agent = await signedIn(service, service.demo.operator)
    await agent.open(`/admin/cases/?q=${bought.email}`)
    await agent.submit('Pause', { reason: 'A stolen card?' })
    const dispute = await disputeCharge(service, bought.charge)
    await agent.open(`/admin/disputes/${dispute.id}/`)
    await agent.submit('Submit evidence')
    const { body } = await seller().open('/dashboard/activity/')
    for (const done of ['Charge: refund', 'License: suspended', 'Dispute: evidence sent']) {
      assert.match(textOf(body), new RegExp(`${done} \\w+ Purser staff`), done)
    }
    assert.ok(!body.includes(service.demo.operator.email))
  })

  test('names in the button of each case whose it is', async () => {
    const accounts = [await buy(service), await buy(service)]
    for (const { user_id } of accounts) {
      await service.world.db.run(sql`update users set locked_at = ${service.clock.now()}
        where id = ${user_id}`)
    }
    const { body } = await staff().open('/admin/cases/')
    for (const { user_id, email } of accounts) {
      const described = `record-unlock-${user_id} record-unlock-${user_id}-details`
      assert.match(body, new RegExp(`<button[^>]*aria-describedby="${described}"[^>]*>`))
      assert.match(body, new RegExp(`id="record-unlock-${user_id}"[^>]*>${email}<`))
    }
    await service.world.db.run(sql`update users set locked_at = null
      where id = any(${accounts.map(({ user_id }) => user_id)})`)
  })

  test('unlocks an account that its owner had locked', async () => {
    const bought = await buy(service)
    await service.world.db.run(sql`update users set locked_at = ${service.clock.now()}
      where id = ${bought.user_id}`)
    const agent = staff()
    await agent.open('/admin/cases/')
    await agent.submit('Unlock', { reason: 'We spoke on the phone.' })
    assert.match(agent.text, /Account unlocked/)
    const { locked_at } = await service.world.db.one<{ locked_at: Date | null }>(
      sql`select locked_at from users where id = ${bought.user_id}`,
    )
    assert.equal(locked_at, null)
  })

  test('books as repaid only the amount that was shown', async () => {
    const { world } = service
    const bought = await buy(service, { card: CARD.comes_back })
    const returned = async (seconds: number) => {
      service.clock.pass(seconds)
      await handleEvents(world)
    }
    const owed = () => ledger.balanceOf(world.db, 'buyer_payable', bought.user_id)
    await refund(service, bought, 300)
    service.clock.pass(300)
    await refund(service, bought, 200)
    await returned(86_400 - 300)
    await sides.signInAgain()
    const agent = staff()
    await agent.open('/admin/cases/')
    assert.equal(await owed(), -300)
    await returned(300)
    await agent.submit('Mark as repaid', { reason: 'Check 18' })
    assert.match(agent.text, /Not done: the amount has changed/)
    assert.equal(await owed(), -500)
    await agent.submit('Mark as repaid', { reason: 'Checks 18 and 19' })
    assert.match(agent.text, /Marked as repaid/)
    assert.equal(await owed(), 0)
  })
})
