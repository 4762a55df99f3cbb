const HOUR = 3600
const DAY = 24 * HOUR

/** How long each record is good for, in seconds. */
export const LIFE = {
  code: 60,
  access_token: HOUR,
  id_token: HOUR,
  interaction: HOUR,
  /** As tokens end with them, these outlive every refresh token that was given in their time. */
  session: 365 * DAY,
  grant: 365 * DAY,
  /** A refresh token that is not used for so long ends. */
  refresh_token: 30 * DAY,
  /** However often it is renewed, it ends so long after the sign-in. */
  refresh_family: 180 * DAY,
} as const

/** The life of the next refresh token of a family that is `age` seconds old. */
export function refreshLife(age: number): number {
  return Math.max(1, Math.min(LIFE.refresh_token, LIFE.refresh_family - age))
}
