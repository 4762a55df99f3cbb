import type { AppId } from '#platform/ids'

/** What a session of this service says about its owner. */
interface SessionFacts {
  /** Set while the account is limited to the app that it bought. */
  app_id: AppId | null
  email_verified_at: Date | null
}

/**
 * Whether a session may sign in to an app: one with a verified mailbox to any app, one that a
 * checkout opened only to the app it bought (spec: Sign-in rules, 7).
 */
export function maySignInTo(session: SessionFacts, app_id: AppId | null): boolean {
  if (session.app_id === null) return session.email_verified_at !== null
  return session.app_id === app_id
}

/** How recent a proof of the person's presence an app requires. */
export interface FreshnessDemand {
  /** The app requires a new proof, after this time. */
  since?: Date | undefined
  /** The oldest acceptable proof, in seconds. */
  max_age?: number | undefined
}

/** Whether a proof is as recent as required. */
export function isRecentEnough(
  now: Date,
  authenticated_at: Date,
  demand: FreshnessDemand,
): boolean {
  const { since, max_age } = demand
  if (since && authenticated_at <= since) return false
  return max_age === undefined || now.getTime() - authenticated_at.getTime() <= max_age * 1000
}
