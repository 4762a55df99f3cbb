import type { SessionId, UserId } from '#platform/ids'
import type { RecordedStep } from './record.ts'

/** An authenticator app, from the beginning of its setup. */
export interface RecordedApp {
  user_id: UserId
  /** In base32, as the page of its setup shows it. */
  secret: string
  begun_at: Date
  /** Its confirmation, once its owner tried that. */
  confirmed: RecordedFactorChange[]
}

/** A change of the second factors of an account, and the sessions that the account had before. */
export interface RecordedFactorChange extends RecordedStep {
  what: 'confirmed' | 'removed' | 'codes_made'
  /** Its own session, and all of them. */
  session_id: SessionId
  sessions: SessionId[]
  /** Undefined if its answer was lost. */
  is_made?: boolean
}

/** Recovery codes that an owner saw once. */
export interface RecordedCodes {
  user_id: UserId
  codes: string[]
  made: RecordedFactorChange
}

/** A sign-in by the mailbox: a session, or one that still needs the second factor. */
export interface RecordedEntry extends RecordedStep {
  token?: string
}

/** A second factor that a person typed, to sign in or to prove again who they are. */
export interface RecordedTry extends RecordedStep {
  kind: 'code' | 'recovery_code' | 'setup'
  text: string
  /** The secret of the app that showed the code, and the time step that it is of. */
  secret?: string
  step?: number
  /** The sign-in that it finishes. */
  entry?: RecordedEntry
}

/** Whether a session was recent enough for a change of the account's security, by its guard. */
export interface RecordedGuard extends RecordedStep {
  /** Between which times the session's owner proved last who they are. */
  proven: { at: Date; until: Date }
}
