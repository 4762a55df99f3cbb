import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { describe, test } from 'node:test'
import { cents } from '#platform/money'
import { readBankForm } from '../../src/sandbox/bank-form.ts'
import { isRoutingNumber, TEST_BANK_ACCOUNTS } from '../../src/sandbox/banks.ts'
import { openWorld } from './world.ts'

const RETURN_URL = 'https://purser.example/dashboard/payouts/'
const BANK = { routing_number: '110000000', account_number: '000123456789' }

const world = await openWorld()

/** A new account, and the page where a bank is entered. */
async function openPage() {
  const who = { owner: `sel_${randomUUID()}`, email: 'seller@example.com' }
  const { account_id } = await world.sandbox.openAccount(world.now(), who)
  const request = { account_id, return_url: RETURN_URL }
  const { url } = await world.sandbox.openOnboarding(world.now(), request)
  return { account_id, url }
}

describe('the page of a payee', () => {
  test('stores a bank account, reports it, shows it, and links back', async () => {
    const { account_id, url } = await openPage()
    assert.match((await world.get(url)).body, /None yet/)
    const answer = await world.post(url, BANK)
    assert.deepEqual([answer.statusCode, answer.headers.location], [303, RETURN_URL])
    const account = { is_ready: true, bank_name: 'Sandbox Test Bank', bank_last4: '6789' }
    assert.partialDeepStrictEqual(await world.sandbox.readAccount(account_id), account)
    assert.partialDeepStrictEqual(await world.receive(), [
      { kind: 'account_changed', account_id, account },
    ])
    assert.match((await world.get(url)).body, /account ending in 6789/)
  })

  test('replaces the bank account later, which is reported again', async () => {
    const { account_id, url } = await openPage()
    await world.post(url, BANK)
    await world.post(url, { ...BANK, account_number: '000111111116' })
    assert.equal((await world.sandbox.readAccount(account_id)).bank_last4, '1116')
    assert.equal((await world.receive()).length, 2)
  })

  const ROUTING = 'Enter the nine digits of your bank’s routing number.'
  const MISTYPED = 'No bank has this routing number. Check each digit.'
  const faults: [what: string, form: Partial<typeof BANK>, field: string, message: string][] = [
    ['no routing number', { routing_number: '' }, 'routing_number', ROUTING],
    ['a mistyped routing number', { routing_number: '110000001' }, 'routing_number', MISTYPED],
    ['a real bank', { routing_number: '021000021' }, 'routing_number', 'This is test mode.'],
    ['no account', { account_number: '' }, 'account_number', 'Enter your account number.'],
    ['a real account', { account_number: '87654321' }, 'account_number', 'This is test mode.'],
  ]
  for (const [what, form, field, message] of faults) {
    test(`shows ${what} at its field, and stores nothing`, async () => {
      const { account_id, url } = await openPage()
      const answer = await world.post(url, { ...BANK, ...form })
      assert.equal(answer.statusCode, 400)
      const shown = answer.body.split(`id="${field}-error"`)[1]
      assert.ok(shown?.slice(0, 700).includes(message))
      assert.equal(answer.body.match(/aria-invalid="true"/g)?.length, 1)
      assert.ok(!answer.body.includes('87654321'))
      assert.equal((await world.sandbox.readAccount(account_id)).is_ready, false)
    })
  }

  test('is not found by guessing, and rejects forms of other sites', async () => {
    const guess = '/sandbox/accounts/obd_0000000000000000000000'
    assert.equal((await world.get(guess)).statusCode, 404)
    const { account_id, url } = await openPage()
    const foreign = await world.post(url, BANK, { origin: 'https://evil.example' })
    assert.equal(foreign.statusCode, 403)
    assert.equal((await world.sandbox.readAccount(account_id)).is_ready, false)
  })
})

describe('a routing number', () => {
  test('has nine digits whose weighted sum is a multiple of ten', () => {
    for (const text of ['110000000', '021000021', '011401533', '091000019']) {
      assert.ok(isRoutingNumber(text), text)
    }
    for (const text of ['110000001', '021000012', '000000000', '11000000', '1100000000', 'bank']) {
      assert.ok(!isRoutingNumber(text), text)
    }
  })

  test('and an account number may be written with spaces or dashes', () => {
    const form = { routing_number: '110-000-000', account_number: '0001 2345 6789' }
    assert.ok('bank' in readBankForm(form))
    assert.ok('faults' in readBankForm(undefined))
    assert.ok('faults' in readBankForm({ ...BANK, account_number: 'toString' }))
  })
})

describe('a payout', () => {
  for (const [account_number, failure] of TEST_BANK_ACCOUNTS) {
    test(`to ${account_number}: ${failure ?? 'it arrives'}`, async () => {
      const { account_id, url } = await openPage()
      await world.post(url, { ...BANK, account_number })
      await world.receive()
      await world.sandbox.moveFunds(world.now(), cents(10_000))
      const request = { key: `po_${account_number}`, account_id, amount: cents(5000) }
      const answer = await world.sandbox.payOut(world.now(), { ...request, description: 'PURSER' })
      assert.ok(answer.status === 'pending')
      assert.deepEqual(await world.receive(), [])
      world.passDays(1)
      const [event] = await world.receive()
      const { payout_id } = answer
      const ended = failure ? { outcome: 'failed', reason: failure } : { outcome: 'paid' }
      assert.partialDeepStrictEqual(event, { kind: 'payout_settled', payout_id, ...ended })
    })
  }

  test('of zero, or to an unknown account, is an error', async () => {
    const { account_id } = await openPage()
    const request = { key: 'po_wrong', account_id, amount: cents(0), description: 'PURSER' }
    await assert.rejects(world.sandbox.payOut(world.now(), request), RangeError)
    const unknown = { ...request, account_id: 'acct_unknown', amount: cents(1) }
    await assert.rejects(world.sandbox.payOut(world.now(), unknown))
  })
})
