/** What the issuer of hosted sign-in publishes: its endpoints and keys (spec: OpenID Connect). */
import { SignInError } from './errors.ts'
import { createFlights } from './flight.ts'
import type { KeyReader, PublicKey } from './signed.ts'
import { type Send, string, TIMEOUT_MS, unexpected } from './transport.ts'

export type Metadata = {
  issuer: string
  authorization_endpoint: string
  token_endpoint: string
  jwks_uri: string
  end_session_endpoint: string
  /** True if authorization responses name the issuer (RFC 9207). */
  names_itself: boolean
}

export type Issuer = {
  /** Its URL, `{base_url}/o`. */
  name: string
  metadata(): Promise<Metadata>
  keys: KeyReader
  send: Send
}

const MAX_AGE_MS = 3_600_000

/** Reads an issuer when it is first needed, and again after an hour; shared by all calls. */
export function createIssuer(name: string, send: Send): Issuer {
  const read = (url: string) => send({ method: 'GET', url, repeatable: true })

  const metadata = remembered(async () => {
    const { body } = await read(`${name}/.well-known/openid-configuration`)
    if (body.issuer !== name) {
      throw mismatch(`The issuer is ${body.issuer}, not ${name}: check base_url.`)
    }
    const endpoint = (name: string) => {
      const url = string(body[name])
      if (url === null || !URL.canParse(url)) throw mismatch(`The issuer names no ${name}.`)
      return url
    }
    return {
      issuer: name,
      authorization_endpoint: endpoint('authorization_endpoint'),
      token_endpoint: endpoint('token_endpoint'),
      jwks_uri: endpoint('jwks_uri'),
      end_session_endpoint: endpoint('end_session_endpoint'),
      names_itself: body.authorization_response_iss_parameter_supported === true,
    }
  })

  const keys = remembered(async () => {
    const { status, body } = await read((await metadata()).jwks_uri)
    if (!Array.isArray(body.keys)) throw unexpected(status)
    return body.keys as PublicKey[]
  })

  return { name, metadata, keys, send }
}

/** A value that is read once an hour. After an error it is read again the next time. */
function remembered<Value>(read: () => Promise<Value>): (again?: boolean) => Promise<Value> {
  const share = createFlights<Value>(TIMEOUT_MS)
  let kept: { value: Value; until: number } | undefined
  return async (again = false) => {
    if (kept && !again && Date.now() < kept.until) return kept.value
    const value = await share('', read)
    kept = { value, until: Date.now() + MAX_AGE_MS }
    return value
  }
}

function mismatch(message: string): SignInError {
  return new SignInError(message, { code: 'issuer_mismatch' })
}
