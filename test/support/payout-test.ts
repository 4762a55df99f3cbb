/** A seller with a bank account, and a processor that answers payouts as a test decides. */
import * as ledger from '#domain/ledger'
import * as payments from '#domain/payments'
import * as payouts from '#domain/payouts'
import { payOut, readPayeeBalance } from '#flows/pay-out'
import type { World } from '#flows/world'
import type { PayoutId } from '#platform/ids'
import { sql } from '#platform/sql'
import { handleEvents } from '#surfaces/processor-events/worker'
import { openTestDatabase } from './database.ts'
import { assertInvariants } from './invariants.ts'
import { killableDatabase } from './killable-database.ts'
import { payeeOf, sell, withBank } from './payees.ts'
import { openTestService } from './service.ts'
import { DAY } from './subscriber.ts'

export type PayoutTest = Awaited<ReturnType<typeof openPayoutTest>>

/** What a seller gets of a sale of `earn`, in cents. */
export const NET = 17_050

/** What becomes of the requests to the processor. */
type Fate = 'arrives' | 'is lost' | 'answer is lost' | 'is refused'

/** Opens a service whose database dies in `untilKilled`. */
export async function openPayoutTest() {
  const db = killableDatabase(await openTestDatabase())
  const processor = {
    fate: 'arrives' as Fate,
    /** How often the processor was asked to pay. */
    asked: 0,
    /** Payouts that the processor answers in an unknown format. */
    isBroken: (_key: string) => false,
  }
  const service = await openTestService({
    db,
    processor: (sandbox) => withFates(sandbox, processor),
  })
  const seller = await payeeOf(service, 'seller')
  await withBank(service, 'seller')
  const { world, clock } = service

  return Object.assign(processor, {
    service,
    seller,
    request: () => payOut(world, { ...seller, cause: 'request' }),
    balanceNow: () => readPayeeBalance(world, seller),
    balance: async () => 0 - (await ledger.balanceOf(world.db, 'seller_payable', seller.owner)),
    paidOutside: () =>
      world.db.rows<{ key: string; amount: number }>(sql`select key, amount from sandbox.payouts
        where status = 'pending' order by created_at, key`),
    listed: () => payouts.payoutsOf(world.db, seller, { limit: 50 }),
    linesOf: (id: PayoutId) => payouts.statementOf(world.db, id, { limit: 100, offset: 0 }),

    /** Sells, and advances past the payout delay. */
    async earn(count = 1): Promise<void> {
      for (let each = 0; each < count; each++) await sell(service)
      clock.pass(7 * DAY)
    },

    /** Advances until pending payouts arrive. */
    async arrive(): Promise<void> {
      clock.pass(DAY)
      await handleEvents(world)
    },

    async close(): Promise<void> {
      await handleEvents(world)
      await assertInvariants(service)
      await service.close()
    },
  })
}

function withFates(
  sandbox: World['processor'],
  test: { fate: Fate; asked: number; isBroken(key: string): boolean },
): World['processor'] {
  return {
    ...sandbox,
    async payOut(now, request) {
      test.asked++
      if (test.fate === 'is refused') {
        throw new payments.ProcessorRefused('Stripe refused a payout: no.')
      }
      if (test.isBroken(request.key)) throw new Error('an answer in an unknown format')
      if (test.fate === 'is lost') throw new payments.ProcessorUnreachable(test.fate)
      const answer = await sandbox.payOut(now, request)
      if (test.fate === 'answer is lost') throw new payments.ProcessorUnreachable(test.fate)
      return answer
    },
  }
}
