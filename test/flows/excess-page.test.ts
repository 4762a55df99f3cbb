import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import * as ledger from '#domain/ledger'
import { payBuyerOtherwise } from '#flows/staff-actions'
import { codeOf } from '../support/account.ts'
import { textOf } from '../support/agent.ts'
import { CARD } from '../support/cards.ts'
import { disputeCharge } from '../support/disputes.ts'
import { buyAndRefundTwice, staffWithReason } from '../support/excess.ts'
import { assertInvariantsAndClose } from '../support/invariants.ts'
import { advanceAndHandleEvents, type Bought, buy, refund } from '../support/refunds.ts'
import { signedIn } from '../support/seller.ts'
import { openTestService, type TestService } from '../support/service.ts'

let service: TestService
before(async () => {
  service = await openTestService()
})
after(() => assertInvariantsAndClose(service))

const staff = () => signedIn(service, service.demo.operator)

const owedBy = ({ user_id }: Pick<Bought, 'user_id'>) =>
  ledger.balanceOf(service.world.db, 'buyer_payable', user_id)

describe('the page of a buyer who received too much', () => {
  test('is reached from the home page and the cases, and records a repayment', async () => {
    const bought = await buyAndRefundTwice(service, 500)
    const agent = await staff()
    await agent.open('/admin/')
    assert.match(agent.text, /1 buyer received too much To be repaid: \$5\.00/)
    await agent.open('/admin/cases/')
    assert.match(
      agent.text,
      new RegExp(`Received in excess, payable by buyers \\$5\\.00 ${bought.email} View`),
    )
    await agent.open(`/admin/excess/${bought.user_id}/`)
    assert.match(agent.text, /To repay \$5\.00/)
    assert.match(agent.text, /Received in excess \$5\.00 Tidepool, [A-Z0-9-]+ View/)
    const form = agent.form('Record repayment')
    assert.deepEqual([form.amount, form.paid_on], ['5.00', '2026-03-12'])
    const fields = { way: 'check', reference: 'Check 1204' }
    await agent.submit('Record repayment', { ...fields, amount: '2.00' })
    assert.match(agent.text, /Repayment recorded\./)
    assert.match(agent.text, /To repay \$3\.00/)
    assert.match(
      agent.text,
      new RegExp(
        `\\$2\\.00 Repaid March 12, 2026 Check, Check 1204 Recorded by ${service.demo.operator.email}`,
      ),
    )
    service.clock.pass(1)
    await agent.submit('Record repayment', fields)
    assert.match(agent.text, /Owes nothing\. .*History \$3\.00 Repaid/)
    assert.equal(await owedBy(bought), 0)
    await agent.open('/admin/cases/')
    assert.doesNotMatch(agent.text, /payable by buyers/)
  })

  test('records a form that is sent twice once', async () => {
    const bought = await buyAndRefundTwice(service, 500)
    const agent = await staff()
    await agent.open(`/admin/excess/${bought.user_id}/`)
    const again = agent.twin()
    const fields = { amount: '2.00', way: 'bank_transfer', reference: 'WIRE 1' }
    for (const tab of [agent, again]) {
      await tab.submit('Record repayment', fields)
      assert.match(tab.text, /Repayment recorded\./)
    }
    assert.equal(await owedBy(bought), 300)
    const back = again.twin()
    await back.open(`/admin/excess/${bought.user_id}/`)
    const { repayment_id = '' } = back.form('Record repayment')
    await back.submit('Record repayment', { ...fields, repayment_id })
    assert.equal(await owedBy(bought), 100)
    await again.submit('Record repayment', { ...fields, repayment_id, amount: '1.00' })
    assert.match(again.text, /Not recorded: this form has already recorded another repayment/)
    assert.equal(await owedBy(bought), 100)
  })

  test('names each fault at its field, and keeps what was filled in', async () => {
    const bought = await buyAndRefundTwice(service, 500)
    const agent = await staff()
    await agent.open(`/admin/excess/${bought.user_id}/`)
    const { repayment_id } = agent.form('Record repayment')
    const good = { amount: '5.00', way: 'check', reference: 'Check 1', paid_on: '2026-03-12' }
    const faults: [fields: Record<string, string>, fault: RegExp][] = [
      [{ amount: 'five' }, /Enter an amount in dollars/],
      [{ amount: '0' }, /Enter an amount in dollars/],
      [{ amount: '5.01' }, /They owe \$5\.00\. Enter at most that amount/],
      [{ way: 'cash' }, /Choose how the buyer paid/],
      [{ reference: ' ' }, /Enter the reference on the bank statement/],
      [{ reference: 'x'.repeat(81) }, /Reference: Use at most 80 characters\. This text has 81/],
      [{ reference: 'a\u202eb' }, /Must not contain control characters/],
      [{ paid_on: '2099-01-01' }, /Enter the day on which it arrived, today or earlier/],
      [{ paid_on: '2026-02-30' }, /Enter the day on which it arrived/],
    ]
    for (const [fields, fault] of faults) {
      const sent = { ...good, ...fields }
      const { status, body } = await agent.submit('Record repayment', sent)
      assert.equal(status, 422, JSON.stringify(fields))
      assert.match(textOf(body), fault)
      const [name = ''] = Object.keys(fields)
      assert.match(body, new RegExp(`id="${name}-error"`))
      const { way: _, ...filled } = agent.form('Record repayment')
      const { way: __, ...expected } = sent
      const kept = { ...expected, reference: expected.reference.trim(), repayment_id }
      assert.deepEqual({ ...filled, csrf_token: '' }, { ...kept, csrf_token: '' })
    }
    assert.equal(await owedBy(bought), 500)
  })

  test('asks staff to authenticate again, and restores the form', async () => {
    const bought = await buyAndRefundTwice(service, 500)
    const { operator } = service.demo
    const agent = await staff()
    await agent.open(`/admin/excess/${bought.user_id}/`)
    service.clock.pass(600)
    const fields = { amount: '1.25', way: 'check', reference: 'Check & 7', paid_on: '2026-03-11' }
    const { repayment_id } = agent.form('Record repayment')
    await agent.submit('Record repayment', fields)
    assert.match(agent.page.url, /^\/account\/confirm/)
    const code = codeOf(service, operator.totp_secret)
    await agent.submit('Confirm', { password: operator.password, code })
    assert.match(agent.page.body, /<option value="check" selected/)
    const { csrf_token: _, ...form } = agent.form('Record repayment')
    const { way: __, ...filled } = { ...fields, repayment_id }
    assert.deepEqual(form, filled)
    await agent.submit('Record repayment', { way: 'check' })
    assert.equal(await owedBy(bought), 375)
  })

  test('writes off the amount that was shown, with a reason and a recent authentication', async () => {
    const bought = await buyAndRefundTwice(service, 500)
    const { operator } = service.demo
    const agent = await staff()
    await agent.open(`/admin/excess/${bought.user_id}/`)
    const older = agent.twin()
    await agent.submit('Record repayment', { amount: '1.00', way: 'check', reference: '77' })
    await older.submit('Write off', { reason: 'The buyer moved away' })
    assert.match(older.text, /Not done: the amount has changed/)
    await agent.submit('Write off', { reason: '' })
    assert.match(agent.text, /Not done\. Correct the reason/)
    assert.match(agent.page.body, /id="write-off-reason-error"/)
    service.clock.pass(600)
    await agent.submit('Write off', { reason: 'The buyer moved away' })
    const code = codeOf(service, operator.totp_secret)
    await agent.submit('Confirm', { password: operator.password, code })
    assert.equal(agent.form('Write off').reason, 'The buyer moved away')
    assert.equal(await owedBy(bought), 400)
    const again = agent.twin()
    await agent.submit('Write off')
    assert.match(agent.text, /Written off\. The buyer owes nothing\./)
    assert.match(agent.text, /\$4\.00 Written off March \d+, 2026 The buyer moved away Recorded by/)
    assert.equal(await owedBy(bought), 0)
    await again.submit('Write off')
    assert.match(again.text, /No change: the buyer owes nothing/)
  })

  test('follows a payment of a returned refund, which the page of the sale names', async () => {
    const bought = await buy(service, { card: CARD.comes_back })
    await refund(service, bought, 400)
    await advanceAndHandleEvents(service, 2)
    const agent = await staff()
    const sale = `/admin/sales/${bought.invoice_id}/`
    await agent.open(sale)
    assert.doesNotMatch(agent.text, /We paid the buyer/)
    await payBuyerOtherwise(service.world, await staffWithReason(service), bought)
    await agent.open(sale)
    assert.match(agent.text, /We paid the buyer \$4\.00 in another way on March \d+, 2026/)
  })

  test('says what open disputes may return', async () => {
    const bought = await buy(service, { card: CARD.comes_back })
    await refund(service, bought)
    await advanceAndHandleEvents(service, 2)
    await payBuyerOtherwise(service.world, await staffWithReason(service), bought)
    await disputeCharge(service, bought.charge)
    const agent = await staff()
    await agent.open('/admin/cases/')
    assert.match(
      agent.text,
      new RegExp(`\\$12\\.60 ${bought.email} Open disputes may return \\$12\\.60\\.`),
    )
    await agent.open(`/admin/excess/${bought.user_id}/`)
    assert.match(agent.text, /Open disputes may return \$12\.60 of it\. Wait for the bank/)
  })

  test('exists only for buyers who ever received too much or too little', async () => {
    const { user_id } = await buy(service)
    const agent = await staff()
    for (const id of [user_id, 'usr_x', `usr_${'0'.repeat(22)}`]) {
      assert.equal((await agent.open(`/admin/excess/${id}/`)).status, 404, id)
    }
  })
})
