import type { AppId, SessionId, UserId } from '#platform/ids'
import type { SoftPasskey } from '../support/soft-passkey.ts'
import type { RecordedEntry, RecordedTry } from './factor-record.ts'
import type { RecordedStep } from './record.ts'

/** Between which times something was done. */
export type DoneBetween = Required<Pick<RecordedStep, 'at' | 'until'>>

/** A session of an account, under the secret that its browser has. */
export interface KnownSession {
  user_id: UserId
  token: string
  /** Known once it was accepted. */
  id?: SessionId
  opened: DoneBetween
  /** Between which times its owner proved last who they are. */
  proven: DoneBetween
  /** The proofs for which it may have got another secret. */
  replacing: (RecordedTry | RecordedSignature)[]
}

/** Whether a session was accepted by a page, or is in the list of its owner. */
export interface RecordedSessionUse extends RecordedStep {
  session: KnownSession
  way: 'page' | 'list'
}

/** A passkey of a person, whether or not it was added. */
export interface RecordedPasskey {
  user_id: UserId
  device: SoftPasskey
  /** Whether it counts its signatures; many report zero each time. */
  is_counting: boolean
}

/** What a passkey signed, and a browser sent. */
export interface RecordedSignature extends RecordedStep {
  purpose: 'sign_in' | 'second_factor' | 'confirm'
  passkey: RecordedPasskey
  text: string
  counter: number
  /** Whether the device verified its user. */
  is_verified: boolean
  challenged_at: Date
  /** The sign-in that it finishes. */
  entry?: RecordedEntry
}

/** A password that a person typed. */
export interface RecordedPasswordTry extends RecordedStep {
  text: string
}

/** A login of an app or an agent, whose tokens its client renews. */
export interface RecordedLogin {
  user_id: UserId
  client: AppId | 'agent'
  opened: DoneBetween
  grant: string
  /** From the first to the present ones; each was issued by the use before it. */
  tokens: { access: string; refresh: string; issued: DoneBetween }[]
  uses: RecordedTokenUse[]
}

/** Whether a token of a login was accepted. */
export interface RecordedTokenUse extends RecordedStep {
  way: 'access' | 'refresh' | 'reuse'
  /** Which of the login's tokens. */
  index: number
}
