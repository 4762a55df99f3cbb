import type { ProcessorRecords } from '#domain/payments'
import type { Db } from '#platform/db'
import { cents } from '#platform/money'
import type { Outside, PlantedFault } from './planted-fault.ts'

/** For each kind: our table, its column with the processor's name, and its two rules. */
const OUTSIDE_RULES = {
  charges: {
    ours: 'processor_charge_id',
    made: 'a charge is one that the processor made',
    known: 'a charge at the processor is recorded',
  },
  refunds: {
    ours: 'processor_refund_id',
    made: 'a refund is one that the processor made',
    known: 'a refund at the processor is recorded',
  },
  payouts: {
    ours: 'processor_payout_id',
    made: 'a payout is one that the processor made',
    known: 'a payout at the processor is recorded',
  },
  disputes: {
    ours: 'processor_dispute_id',
    made: 'a dispute is one that the processor reported',
    known: 'a dispute at the processor is recorded',
  },
} as const
const MOVED_AS_BOOKED = 'the processor moved what the books say'

/** Faults in the processor's records, or in our records of them. */
export const FAULTS_OUTSIDE: Record<string, PlantedFault> = Object.assign(
  {},
  ...(['charges', 'refunds', 'payouts', 'disputes'] as const).map(faultsOf),
)

function faultsOf(kind: keyof ProcessorRecords): Record<string, PlantedFault> {
  const { ours, made, known } = OUTSIDE_RULES[kind]
  const ourId = async (tx: Db, id: string) => {
    const { rows } = await tx.raw(`select id from ${kind} where ${ours} = $1`, [id])
    return (rows[0] as { id: string }).id
  }
  /** A record of the processor that moved money; not the refund by hand, which has no key of ours. */
  const lastOf = (outside: Outside) =>
    outside[kind].findLast(({ id, key, moved }) => moved !== 0 && key !== id)!
  return {
    [`${kind} that the processor does not have`]: {
      rule: made,
      async plant(tx, { outside }) {
        const [gone] = outside[kind].splice(outside[kind].indexOf(lastOf(outside)), 1)
        return await ourId(tx, gone!.id!)
      },
    },
    [`${kind} of another amount at the processor`]: {
      rule: made,
      async plant(tx, { outside }) {
        const record = lastOf(outside)
        record.amount = cents(record.amount + 1)
        return await ourId(tx, record.id!)
      },
    },
    [`${kind} of the processor that are not on the books`]: {
      rule: known,
      async plant(_, { outside }) {
        const planted = { id: 'planted', key: 'planted_key' }
        outside[kind].push({ ...lastOf(outside), ...planted })
        return planted.id
      },
    },
    [`${kind} that moved other money at the processor`]: {
      rule: MOVED_AS_BOOKED,
      async plant(tx, { outside }) {
        const record = lastOf(outside)
        record.moved = cents(0)
        return await ourId(tx, record.id!)
      },
    },
    [`${kind} that moved other money on the books`]: {
      rule: MOVED_AS_BOOKED,
      async plant(tx, { outside }) {
        const { id } = lastOf(outside)
        const subject = await ourId(tx, id!)
        const of = kind === 'charges' ? '(select invoice_id from charges where id = $1)' : '$1'
        await tx.raw(
          `update ledger_entries e set amount = e.amount + 1 from ledger_transactions t
          where t.id = e.transaction_id and e.account = 'processor' and t.subject = ${of}`,
          [subject],
        )
        return subject
      },
    },
  }
}
