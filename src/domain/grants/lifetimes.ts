const HOUR = 3600
const DAY = 24 * HOUR

/** How long each record is valid, in seconds. */
export const LIFETIMES = {
  code: 60,
  access_token: HOUR,
  id_token: HOUR,
  /** The longest life of a license lease. */
  lease: 3 * DAY,
  interaction: HOUR,
  /** How long a browser's sign-in session is remembered. */
  session: 365 * DAY,
  /** A login's tokens extend the life of its grant; an unfinished one ends. */
  grant: HOUR,
  /** A refresh token that is not used for this long expires. */
  refresh_token: 30 * DAY,
  /** However often it is renewed, it expires this long after the sign-in. */
  refresh_family: 180 * DAY,
} as const

/** The life of the next refresh token of a family that is `age` seconds old. */
export function refreshLifetime(age: number): number {
  return Math.max(1, Math.min(LIFETIMES.refresh_token, LIFETIMES.refresh_family - age))
}

/** How long a refresh token that was used may be used again, in seconds. */
const REFRESH_OVERLAP = 30

/** The state of a refresh token that is presented. */
export interface RefreshUse {
  /** When it was first used; null if it was not. */
  used_at: Date | null
  /** True if one of its successors was used in turn, so that the client has moved on. */
  is_superseded: boolean
}

/**
 * Whether a refresh token may be used now: an unused one, and for a moment the immediate
 * predecessor of the latest ones, as its answer may be lost or its client may send two requests at
 * once.
 */
export function mayRefresh(now: Date, { used_at, is_superseded }: RefreshUse): boolean {
  if (used_at === null) return true
  return !is_superseded && now.getTime() - used_at.getTime() < REFRESH_OVERLAP * 1000
}
