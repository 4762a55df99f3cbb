import type { AppId, PayeeId, SellerId, UserId } from '#platform/ids'

/** An attempt to accept an app that another seller offered, with its answer. */
export interface RecordedAcceptance {
  app_id: AppId
  from: SellerId
  to: SellerId
  by: UserId
  /** When the offer was answered. */
  offered_at: Date
  at: Date
  /** When it can no longer have an effect; undefined until then. */
  until?: Date
  outcome: string
}

/** A bank account that a payee entered at the processor, perhaps the same one again. */
export interface RecordedBank {
  owner: PayeeId
  number: string
  at: Date
  /** When the processor had it. */
  entered_at: Date
}
