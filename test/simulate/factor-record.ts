import type { AppId, SessionId, UserId } from '#platform/ids'
import type { RecordedPasskey } from './access-record.ts'
import type { RecordedLink, RecordedStep } from './record.ts'

/** An authenticator app, from the beginning of its setup. */
export interface RecordedApp {
  user_id: UserId
  /** In base32, as the page of its setup shows it. */
  secret: string
  begun_at: Date
  /** Its confirmation, once its owner tried that. */
  confirmed: RecordedSecurityChange[]
}

/** What a person changed, or tried to change, about who can use an account. */
export type SecurityStep =
  | 'confirmed'
  | 'removed'
  | 'codes_made'
  | 'passkey_added'
  | 'passkey_removed'
  | 'password_changed'
  | 'password_reset'
  | 'others_ended'
  | 'session_ended'
  | 'signed_out'
  | 'app_disconnected'

/** A change of the security of an account, and the sessions that the account had before. */
export interface RecordedSecurityChange extends RecordedStep {
  what: SecurityStep
  /** Its own session, unless an emailed link made it. */
  session_id: SessionId | undefined
  /** The sessions of the account before. */
  sessions: SessionId[]
  /** Undefined if its answer was lost. */
  is_made?: boolean
  /** The passkey that was added or removed. */
  passkey?: RecordedPasskey
  /** The password that was set. */
  password?: string
  /** The session that was ended. */
  ended?: SessionId
  /** The link that set a password. */
  link?: RecordedLink
  /** The app that was disconnected. */
  client?: AppId
}

/** Recovery codes that an owner saw once. */
export interface RecordedCodes {
  user_id: UserId
  codes: string[]
  made: RecordedSecurityChange
}

/** A sign-in by the mailbox or a password: a session, or one that still needs the second factor. */
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
