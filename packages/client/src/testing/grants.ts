/** The codes and tokens of the double, each of one sign-in of a person. */
import { random } from '../login.ts'
import { sha256 } from '../signed.ts'
import type { TestPerson } from './facts.ts'

/** A sign-in of a person, with all tokens that came of it. */
export type Grant = { person: TestPerson; scope: string; revoked: boolean }

type Code = { grant: Grant; request: URLSearchParams; expires_at: number; used: boolean }
type Access = { grant: Grant; expires_at: number }
type Refresh = { grant: Grant; replaced_at: number | null }

export const ACCESS_SECONDS = 3600
const CODE_MS = 60_000
/** How long the predecessor of a refresh token is accepted. */
const OVERLAP_MS = 30_000

export type Grants = ReturnType<typeof createGrants>

/** Stores grants; all lives are counted by `now`. */
export function createGrants(now: () => number) {
  const all: Grant[] = []
  const codes = new Map<string, Code>()
  const access = new Map<string, Access>()
  const refresh = new Map<string, Refresh>()

  return {
    open(person: TestPerson, scope: string): Grant {
      const grant = { person, scope, revoked: false }
      all.push(grant)
      return grant
    },

    /** Ends every sign-in of a person. */
    revoke(person: TestPerson): void {
      for (const grant of all) if (grant.person === person) grant.revoked = true
    },

    /** The grant of a valid access token. */
    of(access_token: string): Grant | undefined {
      const found = access.get(access_token)
      const isValid = found && !found.grant.revoked && now() < found.expires_at
      return isValid ? found.grant : undefined
    },

    issue(grant: Grant): { access_token: string; refresh_token: string } {
      const tokens = { access_token: random(), refresh_token: random() }
      access.set(tokens.access_token, { grant, expires_at: now() + ACCESS_SECONDS * 1000 })
      refresh.set(tokens.refresh_token, { grant, replaced_at: null })
      return tokens
    },

    /** A code for an authorization request. */
    codeFor(grant: Grant, request: URLSearchParams): string {
      const code = random()
      codes.set(code, { grant, request, expires_at: now() + CODE_MS, used: false })
      return code
    },

    /** The grant of a code that is used once, in time and by who requested it. */
    async redeem(form: URLSearchParams): Promise<{ grant: Grant; nonce: string | null } | null> {
      const code = codes.get(form.get('code') ?? '')
      if (!code) return null
      const { grant, request } = code
      if (code.used) grant.revoked = true
      const challenge = await sha256(form.get('code_verifier') ?? '')
      const isGood =
        !code.used &&
        now() < code.expires_at &&
        challenge === request.get('code_challenge') &&
        form.get('redirect_uri') === request.get('redirect_uri')
      if (!isGood) return null
      code.used = true
      return { grant, nonce: request.get('nonce') }
    },

    /** The grant of a refresh token; one that was replaced long ago ends the sign-in. */
    rotate(refresh_token: string): Grant | null {
      const token = refresh.get(refresh_token)
      if (!token) return null
      const { grant, replaced_at } = token
      if (replaced_at !== null && now() > replaced_at + OVERLAP_MS) grant.revoked = true
      token.replaced_at ??= now()
      return grant.revoked ? null : grant
    },
  }
}
