import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { payeeOf } from '../../src/stripe/payees.ts'
import { openStripeWorld, type StripeWorld } from './world.ts'

describe("a payee's account at Stripe", () => {
  let world: StripeWorld
  before(async () => {
    world = await openStripeWorld()
  })
  after(() => world.close())

  // M2
  test('requests card payments in addition to transfers, as a new platform must', async () => {
    const owner = { owner: 'sel_new', email: 'seller@example.com' }
    const { account_id } = await world.processor.openAccount(world.clock.now(), owner)
    const account = world.double.state.find(account_id, 'account')
    assert.deepEqual(Object.keys(account.capabilities).sort(), ['card_payments', 'transfers'])
    assert.equal(account.settings.payouts.schedule.interval, 'manual')
    const { form } = world.double.requests.find(({ path }) => path === '/v1/accounts')!
    assert.deepEqual(form.capabilities, {
      card_payments: { requested: 'true' },
      transfers: { requested: 'true' },
    })
  })

  test('has a bank that is known by its fingerprint, and by its ID where it has none', async () => {
    const owner = { owner: 'sel_bank', email: 'seller@example.com' }
    const { account_id } = await world.processor.openAccount(world.clock.now(), owner)
    const account = world.double.state.find(account_id, 'account')
    const fingerprintOf = (bank: Record<string, unknown>) => {
      const external_accounts = { data: [{ object: 'bank_account', last4: '6789', ...bank }] }
      return payeeOf({ ...account, external_accounts } as never).bank_fingerprint
    }
    assert.equal(fingerprintOf({ id: 'ba_1', fingerprint: 'f1' }), 'f1')
    assert.equal(fingerprintOf({ id: 'ba_1', fingerprint: null }), 'ba_1')
  })
})
