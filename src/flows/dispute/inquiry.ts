import * as ledger from '#domain/ledger'
import type * as payments from '#domain/payments'
import type { Db } from '#platform/db'

/** Whether a dispute is an inquiry that was closed: it counts as won, and took nothing. */
export async function isClosedInquiry(
  tx: Db,
  { id, status }: Pick<payments.Dispute, 'id' | 'status'>,
): Promise<boolean> {
  return status === 'won' && (await ledger.entriesOf(tx, [id])).length === 0
}
