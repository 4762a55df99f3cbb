import * as ledger from '#domain/ledger'
import type { Db } from '#platform/db'
import { cents } from '#platform/money'
import { testId } from '../../support/ids.ts'
import type { PlantedFault } from './planted-fault.ts'

const BOOKING = { id: testId('sbk_planted'), account: 'bank', amount: cents(100) } as const

/** Records a booking of a movement that is nowhere at the processor. */
async function addBooking(tx: Db, now: Date): Promise<void> {
  const movement = { processor: 'sandbox', movement_id: 'txn_planted' }
  const by = { booked_by: testId('usr_1'), reason: 'planted' }
  await ledger.addSuspenseBooking(tx, now, { ...BOOKING, ...movement, ...by })
}

/** Faults in what staff booked of unexplained movements. */
export const FAULTS_OF_SUSPENSE: Record<string, PlantedFault> = {
  'a booked movement that is not posted': {
    rule: 'suspense_booked is posted',
    async plant(tx, { now }) {
      await addBooking(tx, now)
      return BOOKING.id
    },
  },
  'a booked movement that the processor does not list': {
    rule: 'a booked movement is that of the processor',
    async plant(tx, { now }) {
      await addBooking(tx, now)
      const posting = ledger.suspenseBooked(BOOKING)
      await ledger.post(tx, now, testId('txn_planted'), posting)
      return BOOKING.id
    },
  },
}
