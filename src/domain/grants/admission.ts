/** What a session of this service says of its owner. */
interface SessionFacts {
  /** Set while the account is limited to the app that it bought. */
  app_id: string | null
  email_verified_at: Date | null
}

/**
 * Whether a session may sign in to an app: one with a proven mailbox anywhere, one that a checkout
 * opened only where it bought (spec: Sign-in rules, 7).
 */
export function mayEnter(session: SessionFacts, app_id: string | null): boolean {
  if (session.app_id === null) return session.email_verified_at !== null
  return session.app_id === app_id
}

/** What an app asks of how fresh the proof must be that somebody is there. */
export interface Demand {
  /** The app asked for a new proof, after this time. */
  since?: Date | undefined
  /** The oldest proof that will do, in seconds. */
  max_age?: number | undefined
}

/** Whether a proof is as fresh as was asked for. */
export function isFreshEnough(now: Date, authenticated_at: Date, demand: Demand): boolean {
  const { since, max_age } = demand
  if (since && authenticated_at <= since) return false
  return max_age === undefined || now.getTime() - authenticated_at.getTime() <= max_age * 1000
}
