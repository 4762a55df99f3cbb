/**
 * A dispute: a buyer objects to a charge at his bank (decided: `paused`).
 *
 * The bank takes the money and the license is suspended; the seller's part and the cost of it are
 * taken from his balance, which may fall below zero and is carried. Evidence is what the service
 * knows; the seller or staff sends it. Won: all is given back and the same key works again. Lost: the
 * license ends. What the processor tells is handled in the caller's transaction, once.
 */
export { disputeClosed } from './dispute/close.ts'
export { assembleEvidence, type EvidenceSent, sendEvidence } from './dispute/evidence.ts'
export { disputeOpened } from './dispute/open.ts'
