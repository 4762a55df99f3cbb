import { createHmac } from 'node:crypto'
import type { UserId } from '#platform/ids'

/**
 * The private id of a person in one app (spec: Sign-in rules, 5): always the same there, different
 * in every other app, and not traceable to the account. A sector is an app, or all agents.
 */
export function subjectOf(secret: Buffer, who: { sector: string; user_id: UserId }): string {
  return createHmac('sha256', secret).update(`${who.sector} ${who.user_id}`).digest('base64url')
}
