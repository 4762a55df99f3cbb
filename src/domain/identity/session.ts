import type { Session } from './sessions.ts'

const RECENT_SECONDS = 10 * 60

/** Whether a session's owner authenticated recently enough to change security settings. */
export function isRecent(now: Date, session: Pick<Session, 'authenticated_at'>): boolean {
  return now.getTime() - session.authenticated_at.getTime() < RECENT_SECONDS * 1000
}
