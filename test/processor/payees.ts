import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { describe, test } from 'node:test'
import { KeyConflict, type PayoutAnswer, ProcessorRefused } from '#domain/payments'
import { cents, ZERO } from '#platform/money'
import type { ProcessorSteps } from './outside.ts'

const GOOD = '4242424242424242'
const OTHER = '5555555555554444'

/** Who is paid, and whose card is on file: the pages that belong to people. */
export function describePayees(world: () => ProcessorSteps): void {
  const open = (owner = `sel_${randomUUID()}`) =>
    world().processor.openAccount(world().now(), { owner, email: 'seller@example.com' })

  /** A new account; with a bank where its kind is given. */
  async function payee(kind?: 'works' | 'fails'): Promise<string> {
    const { account_id } = await open()
    if (kind) {
      const return_url = 'https://purser.example/dashboard/payouts/'
      const request = { account_id, return_url }
      const { url } = await world().processor.openOnboarding(world().now(), request)
      await world().enterBank(url, kind)
      await world().waitForEvent('account_changed', (event) => event.account_id === account_id)
    }
    return account_id
  }

  const payOut = (account_id: string, facts: { key?: string; amount?: number } = {}) => {
    const { key = `po_${randomUUID()}`, amount = 5000 } = facts
    const request = { key, account_id, amount: cents(amount), description: 'PURSER' }
    return world().processor.payOut(world().now(), request)
  }

  /** How a payout ended, reported at once or later. */
  async function endOf(answer: PayoutAnswer): Promise<{ outcome: string; reason?: string }> {
    assert.notEqual(answer.status, 'short')
    if (answer.status !== 'pending') return { ...answer, outcome: answer.status }
    const { payout_id } = answer
    return await world().waitForEvent('payout_settled', (event) => event.payout_id === payout_id)
  }

  describe('an account', () => {
    // M3
    test("that does not exist is refused with the port's error", async () => {
      const unknown = 'acct_0123456789abcdef01234567'
      await assert.rejects(world().processor.readAccount(unknown), ProcessorRefused)
    })

    test('is one per owner', async () => {
      const owner = `sel_${randomUUID()}`
      const first = await open(owner)
      assert.deepEqual(await open(owner), first)
      assert.notDeepEqual(await open(), first)
    })

    test('is ready once its owner entered a bank account, of which four digits are known', async () => {
      const account_id = await payee()
      const { processor } = world()
      assert.deepEqual(await processor.readAccount(account_id), {
        is_ready: false,
        bank_name: null,
        bank_last4: null,
        bank_fingerprint: null,
      })
      const { url } = await processor.openOnboarding(world().now(), {
        account_id,
        return_url: 'https://purser.example/dashboard/payouts/',
      })
      await world().enterBank(url, 'works')
      const event = await world().waitForEvent(
        'account_changed',
        (event) => event.account_id === account_id && event.account.is_ready,
      )
      const account = await processor.readAccount(account_id)
      assert.equal(account.is_ready, true)
      assert.match(account.bank_last4 ?? '', /^\d{4}$/)
      assert.deepEqual(event.account, account)
    })

    test('reports another fingerprint for another bank account, and the same one for the same', async () => {
      const { processor } = world()
      const account_id = await payee()
      const request = { account_id, return_url: 'https://purser.example/dashboard/payouts/' }
      const enter = async (kind: 'works' | 'fails') => {
        const { url } = await processor.openOnboarding(world().now(), request)
        await world().enterBank(url, kind)
        const { bank_fingerprint } = await processor.readAccount(account_id)
        assert.ok(bank_fingerprint)
        return bank_fingerprint
      }
      const first = await enter('fails')
      assert.equal(await enter('fails'), first)
      assert.notEqual(await enter('works'), first)
    })
  })

  describe('a payout', () => {
    test('arrives at a bank that accepts it', async () => {
      const answer = await payOut(await payee('works'))
      assert.equal((await endOf(answer)).outcome, 'paid')
    })

    test('that the bank rejects fails with a reason', async () => {
      const answer = await payOut(await payee('fails'))
      const { outcome, reason } = await endOf(answer)
      assert.equal(outcome, 'failed')
      assert.ok(reason)
    })

    // M13
    test('that is canceled at the processor fails with that reason', async () => {
      const answer = await payOut(await payee('works'))
      assert.ok(answer.status === 'pending')
      await world().cancelPayout(answer.payout_id)
      const { outcome, reason } = await endOf(answer)
      assert.equal(outcome, 'failed')
      assert.match(reason ?? '', /canceled/)
    })

    // M4
    test('that the balance does not cover moves nothing, and is made under its key later', async () => {
      const account_id = await payee('works')
      const { available } = await world().processor.readBalance(world().now())
      const facts = { key: `po_${randomUUID()}`, amount: available + 5000 }
      for (let round = 0; round < 2; round++) {
        assert.deepEqual(await payOut(account_id, facts), { status: 'short', available })
      }
      await world().moveFunds(5000)
      const answer = await payOut(account_id, facts)
      assert.equal((await endOf(answer)).outcome, 'paid')
      await world().moveFunds(facts.amount)
    })

    test('to an account without a bank fails at once with a reason', async () => {
      const answer = await payOut(await payee())
      assert.ok(answer.status === 'failed' && answer.reason.length > 0)
    })

    test('requested under one key ten times concurrently is paid once, and another request conflicts', async () => {
      const account_id = await payee('works')
      const key = `po_${randomUUID()}`
      const answers = await Promise.all(
        Array.from({ length: 10 }, () => payOut(account_id, { key })),
      )
      for (const answer of answers) assert.deepEqual(answer, answers[0])
      await assert.rejects(payOut(account_id, { key, amount: 5001 }), KeyConflict)
      assert.equal((await endOf(answers[0]!)).outcome, 'paid')
      const [first] = answers
      const payout_id = first && 'payout_id' in first ? first.payout_id : ''
      const payouts = world().received.filter((event) => 'payout_id' in event)
      assert.ok(payouts.filter((event) => event.payout_id === payout_id).length <= 1)
    })
  })

  describe("the processor's portal", () => {
    async function openPortal() {
      const card = await world().enterCard(GOOD)
      return await world().processor.openPortal(world().now(), {
        app_name: 'Harbor',
        email: 'buyer@example.com',
        card_token: card.token,
        return_url: 'https://purser.example/manage/',
      })
    }

    test('returns nothing while the card on file is the same', async () => {
      const portal = await openPortal()
      assert.equal(await world().processor.readPortal(portal.id), undefined)
    })

    test('returns the card that replaced it, which pays on and off session', async () => {
      const portal = await openPortal()
      await world().changeCard(portal, OTHER)
      const card = await world().processor.readPortal(portal.id)
      assert.partialDeepStrictEqual(card, { brand: 'mastercard', last4: '4444' })
      assert.equal((await world().charge(card!.token, { amount: ZERO })).status, 'succeeded')
      assert.equal((await world().charge(card!.token, { off_session: true })).status, 'succeeded')
    })

    test('accepts another card again: the last one counts', async () => {
      const portal = await openPortal()
      await world().changeCard(portal, OTHER)
      await world().changeCard(portal, GOOD)
      assert.equal((await world().processor.readPortal(portal.id))?.last4, '4242')
    })
  })
}
