import type { PayoutOutcome } from '#flows/pay-out'
import type { PlanGiven } from '#flows/subscription'
import type {
  AffiliateId,
  AppId,
  DiscountId,
  EmailChangeId,
  ExcessRepaymentId,
  InvoiceId,
  LicenseId,
  PayeeId,
  PriceId,
  ProductId,
  SellerId,
  SessionId,
  UserId,
} from '#platform/ids'
import type { Cents } from '#platform/money'
import type {
  KnownSession,
  RecordedLogin,
  RecordedPasskey,
  RecordedPasswordTry,
  RecordedSessionUse,
  RecordedSignature,
} from './access-record.ts'
import type {
  RecordedApp,
  RecordedCodes,
  RecordedEntry,
  RecordedGuard,
  RecordedSecurityChange,
  RecordedTry,
} from './factor-record.ts'
import type { RecordedAcceptance, RecordedBank } from './ownership-record.ts'
import type { RecordedChange } from './recorded-change.ts'
import { OffPeriods } from './switches.ts'
import type {
  Colleague,
  KnownSecret,
  RecordedAccess,
  RecordedInvitation,
  TeamRole,
  TeamStep,
} from './team-record.ts'

/** A person's request with its answer; `unknown` until it arrives. */
export interface RecordedRequest {
  /** The ID of the cart, license or invoice. */
  subject: string
  /** The amount that they agreed to pay or to refund, in cents. */
  amount: number
  outcome: string
  /** Whether an earlier request for the same subject was pending: either may be processed first. */
  is_parallel: boolean
}

export type AskedFor =
  | 'purchase'
  | 'upgrade'
  | 'payment'
  | 'refund'
  | 'auto_renew'
  | 'rotation'
  | 'comp_end'

/** How a buyer came to a purchase, and the price each time they confirmed it, before tax. */
export interface Bought {
  state: string
  brought_by: 'seller' | 'service'
  affiliate_id: AffiliateId | null
  prices: Set<number>
  email: string
  /** The discount code that they entered, in upper case. */
  code: string | null
  /** When they entered it, and whether it applied to every purchase while it was on. */
  entered_at: Date
  was_sure: boolean
}

/** A discount code as its seller entered it. */
export interface OfferedCode {
  /** Known once the answer arrived. */
  id?: DiscountId
  app_id: AppId
  code: string
  percent: number | null
  /** In cents. */
  amount: number | null
  /** Null: all. */
  periods: number | null
  product_ids: ProductId[]
  valid_from: Date | null
  /** Exclusive. */
  valid_until: Date | null
  max_uses: number | null
  /** Whether it applies to every purchase of its products while it is on: it has no limits. */
  is_sure: boolean
}

/** A plan that a seller gave, or tried to give, with the answer. */
export interface RecordedComp {
  app_id: AppId
  email_normalized: string
  product_id: ProductId
  ends_at: Date | null
  at: Date
  /** `unknown` until the answer arrives. */
  outcome: PlanGiven['outcome'] | 'unknown'
  answered_at?: Date
  /** The given license, or the one that the person had. */
  license_id?: LicenseId
}

/** A license that a seller imports, whether or not the answer arrived. */
export interface RecordedImport {
  app_id: AppId
  /** With the email that they have now. */
  person: Record<'email' | 'email_normalized' | 'zip' | 'state', string>
  /** The email that was imported. */
  email_normalized: string
  /** The day to which the buyer had paid. */
  ends_at: Date
}

/** An extension of a trial as its seller entered it, with the answers that they saw. */
export interface RecordedExtension {
  license_id: LicenseId
  /** The end that they saw. */
  from: Date
  days: number
  /** One for each time that they sent the form. */
  outcomes: string[]
}

/** A refund of an upgrade with its credit, as the seller or staff saw it, with the answer. */
export interface RecordedCreditRefund {
  /** The upgrade. */
  invoice_id: InvoiceId
  credit: Cents
  outcome: string
}

/** A buyer's repayment as staff entered it, with the answers that they saw. */
export interface RecordedRepayment {
  id: ExcessRepaymentId
  amount: Cents
  outcomes: string[]
}

/** Whether a person could buy something, as they were answered. */
export interface RecordedOffer {
  app_id: AppId
  price_id: PriceId
  at: Date
  until: Date
  /** A buy link that was opened, or a purchase that was confirmed. */
  what: 'link' | 'purchase'
  is_refused: boolean
}

/** A link that arrived in a mailbox. */
export interface RecordedLink {
  purpose: EmailedPurpose
  token: string
  /** The normalized address that it was sent to. */
  mailbox: string
  user_id: UserId
  /** The change of email that it confirms or undoes, when that was requested, and its other email. */
  change_id: EmailChangeId | null
  requested_at: Date | null
  other: string | null
  /** Before it was written. */
  at: Date
}

/** The purposes of the links that people use. */
export type EmailedPurpose = 'sign_in' | 'set_password' | 'change_email' | 'undo_email'

/** What a person did with an account, to tell what else may have changed it; see `RecordedUse`. */
export interface RecordedStep {
  user_id: UserId
  at: Date
  /** When it can no longer have an effect; undefined until then. */
  until?: Date
  outcome: string
}

/** A use of an emailed link, and the sessions that the account had before. */
export interface RecordedUse extends RecordedStep {
  link: RecordedLink
  sessions: SessionId[]
}

/** A payout that a payee asked for. */
export interface RecordedPayout {
  owner: PayeeId
  at: Date
  until: Date
  outcome: PayoutOutcome['outcome']
}

/**
 * Every request of a person with its answer, independent of what the service stores, to compare
 * both. If an answer was lost, the outcome is unknown.
 */
export class AnswerRecord {
  /** By cart ID. */
  readonly carts = new Map<string, Bought>()
  readonly codes: OfferedCode[] = []
  readonly comps: RecordedComp[] = []
  readonly imports: RecordedImport[] = []
  readonly repayments: RecordedRepayment[] = []
  readonly extensions: RecordedExtension[] = []
  readonly credits: RecordedCreditRefund[] = []
  /** Licenses that their sellers ended. */
  readonly ends: RecordedChange<string>[] = []
  /** By app ID. */
  readonly sellers: RecordedChange<SellerId>[] = []
  /** By account ID; a deletion is a change to the address of deleted accounts. */
  readonly emails: RecordedChange<string>[] = []
  /** What decides whether something is for sale or paid out, by `SwitchName`. */
  readonly switches: RecordedChange<boolean>[] = []
  readonly off = new OffPeriods()
  readonly offers: RecordedOffer[] = []
  readonly payouts: RecordedPayout[] = []
  readonly links: RecordedLink[] = []
  readonly uses: RecordedUse[] = []
  /** Requests for another email. */
  readonly wishes: RecordedStep[] = []
  readonly colleagues: Colleague[] = []
  readonly sessions = new Map<UserId, KnownSecret>()
  readonly agents = new Map<UserId, KnownSecret>()
  readonly team: TeamStep[] = []
  readonly invitations: RecordedInvitation[] = []
  /** By the IDs of a seller and an account. */
  readonly roles: RecordedChange<TeamRole>[] = []
  readonly accesses: RecordedAccess[] = []
  readonly acceptances: RecordedAcceptance[] = []
  readonly banks: RecordedBank[] = []
  readonly authenticators: RecordedApp[] = []
  readonly recovery_codes: RecordedCodes[] = []
  readonly entries: RecordedEntry[] = []
  readonly security: RecordedSecurityChange[] = []
  readonly tries: RecordedTry[] = []
  readonly guards: RecordedGuard[] = []
  /** The sessions that browsers of buyers had. */
  readonly signed_in: KnownSession[] = []
  readonly session_uses: RecordedSessionUse[] = []
  readonly passkeys: RecordedPasskey[] = []
  readonly signatures: RecordedSignature[] = []
  readonly password_tries: RecordedPasswordTry[] = []
  readonly logins: RecordedLogin[] = []
  /** The states in which the owners of licenses live, by license ID. */
  readonly states: RecordedChange<string>[] = []
  /** What the owner of a license agreed to pay for a period of another plan. */
  readonly agreed = new Map<string, Set<number>>()
  readonly requests: Record<AskedFor, RecordedRequest[]> = {
    purchase: [],
    upgrade: [],
    payment: [],
    refund: [],
    auto_renew: [],
    rotation: [],
    comp_end: [],
  }

  /** Records a request before it is sent; the caller fills in the answer. */
  ask(what: AskedFor, subject: string, amount = 0): RecordedRequest {
    const is_parallel = this.requests[what].some(
      (each) => each.subject === subject && each.outcome === 'unknown',
    )
    const requests = { subject, amount, outcome: 'unknown', is_parallel }
    this.requests[what].push(requests)
    return requests
  }
}
