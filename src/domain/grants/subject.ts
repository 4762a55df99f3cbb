import { createHmac } from 'node:crypto'

/**
 * The private id of a person in one app (spec: Sign-in rules, 5): always the same there, different
 * in every other app, and not traceable to the account.
 */
export function subjectOf(secret: Buffer, who: { app_id: string; user_id: string }): string {
  return createHmac('sha256', secret).update(`${who.app_id} ${who.user_id}`).digest('base64url')
}
