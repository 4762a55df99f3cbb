/** The plan of a person, requested from Purser with the access token whenever it matters. */
import { PurserError, RateLimitedError, UnreachableError } from '@purser/client'
import type { SignIn, Tokens } from './sign-in.ts'

/** The response of `GET /licensing/entitlement/`. */
export type Entitlement = {
  entitled: boolean
  /** The plan's name, for display only. */
  version: string
  /** The plan, which never changes: gate on this. */
  product_public_id: string
  status: 'active' | 'trialing' | 'one_time_active' | 'free' | 'preview' | 'none'
  is_free: boolean
  period_end: string | null
}

/** A signed-in person; `tokens` change when they are refreshed. */
export type Session = { tokens: Tokens; renewal?: Promise<Tokens | null> | undefined }

export type Answer =
  | { kind: 'plan'; entitlement: Entitlement; is_paid: boolean }
  /** The person signed out at Purser and must sign in again. */
  | { kind: 'signed_out' }
  /** The add-on is off. The visitor cannot fix that, and neither can a new sign-in. */
  | { kind: 'not_enabled' }

/** Tokens are refreshed this long before they expire, so that no request uses an expiring one. */
const EARLY_MS = 30_000

export type Plans = ReturnType<typeof createPlans>

export function createPlans(facts: { base_url: string; sign_in: SignIn; paid_products: string[] }) {
  const address = `${facts.base_url.replace(/\/+$/, '')}/licensing/entitlement/`

  /** Refreshes the tokens of a session once, however many requests find them expired at once. */
  async function renew(session: Session): Promise<boolean> {
    session.renewal ??= facts.sign_in.renew(session.tokens).finally(() => {
      session.renewal = undefined
    })
    const tokens = await session.renewal
    if (tokens) session.tokens = tokens
    return tokens !== null
  }

  return {
    /** The current plan of the person in this session. */
    async planOf(session: Session): Promise<Answer> {
      const is_old = session.tokens.expires_at - EARLY_MS < Date.now()
      if (is_old && !(await renew(session))) return { kind: 'signed_out' }
      const answer = await ask(address, session.tokens.access_token)
      if (answer !== 'invalid_token') return judge(answer)
      if (is_old || !(await renew(session))) return { kind: 'signed_out' }
      const second = await ask(address, session.tokens.access_token)
      return second === 'invalid_token' ? { kind: 'signed_out' } : judge(second)
    },
  }

  function judge(answer: Entitlement | 'service_not_enabled'): Answer {
    if (answer === 'service_not_enabled') return { kind: 'not_enabled' }
    const is_paid = answer.entitled && facts.paid_products.includes(answer.product_public_id)
    return { kind: 'plan', entitlement: answer, is_paid }
  }
}

async function ask(
  address: string,
  access_token: string,
): Promise<Entitlement | 'invalid_token' | 'service_not_enabled'> {
  const headers = { authorization: `Bearer ${access_token}` }
  const signal = AbortSignal.timeout(5_000)
  const response = await fetch(address, { headers, signal }).catch(() => undefined)
  const status = response?.status ?? null
  const body = await response?.json().catch(() => undefined)
  if (response?.ok && body) return body
  if (status === 401) return 'invalid_token'
  const { error: code = 'unreachable', message = 'no answer', request_id = null } = body ?? {}
  if (status === 403 && code === 'service_not_enabled') return code
  const details = { status, code, request_id }
  if (status === 429) {
    const retry_after = Number(response?.headers.get('retry-after') ?? 1)
    throw new RateLimitedError(message, { ...details, retry_after })
  }
  if (status === null || status >= 500) throw new UnreachableError(message, details)
  throw new PurserError(message, details)
}
