/**
 * A dispute: a buyer objects to a charge at their bank (decision 28).
 *
 * The bank takes the money and the license is suspended. The seller's part and the dispute fee are
 * debited from the seller's balance, which may become negative and is carried over. Evidence is
 * assembled from what the service recorded; the seller or staff submits it. Won: everything is
 * credited again and the same key works again. Lost: the license ends. A processor event is handled
 * once, in the caller's transaction.
 */
export { disputeClosed } from './dispute/close.ts'
export { assembleEvidence, type EvidenceSent, sendEvidence } from './dispute/evidence.ts'
export { disputeOpened } from './dispute/open.ts'
