import type {
  AuthenticationResponseJSON,
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
  RegistrationResponseJSON,
} from '@simplewebauthn/server'
import type { UserId } from '#platform/ids'
import type { Passkey } from './passkeys.ts'

/** Loaded at the first use of a passkey: it supports many formats and loads slowly. */
const library = () => import('@simplewebauthn/server')

const NAME = 'Purser'
// Ed25519, ECDSA on P-256 and RSA: every device supports one of them. Listed, so that the library
// does not try algorithms that are experimental in this version of Node.
const ALGORITHMS = [-8, -7, -257]

/** A browser's passkey response, as far as it can be parsed. */
export interface PasskeyAnswer {
  credential_id: string
  /** The challenge that it claims to have signed. */
  challenge: string
  json: object
}

/** Parses a browser's passkey response; undefined if it is malformed. */
export function readPasskeyAnswer(text: string): PasskeyAnswer | undefined {
  try {
    const json = JSON.parse(text)
    const client = Buffer.from(json.response.clientDataJSON, 'base64url').toString('utf8')
    const { challenge } = JSON.parse(client)
    if (typeof json.id !== 'string' || typeof challenge !== 'string') return undefined
    return { credential_id: json.id, challenge, json }
  } catch {
    return undefined
  }
}

/** The options with which a browser creates a passkey: discoverable, and with user verification. */
export async function creationOptions(facts: {
  base_url: string
  user_id: UserId
  email: string
  challenge: Buffer
  known: Passkey[]
}): Promise<PublicKeyCredentialCreationOptionsJSON> {
  const { generateRegistrationOptions } = await library()
  return await generateRegistrationOptions({
    rpName: NAME,
    rpID: new URL(facts.base_url).hostname,
    userID: Uint8Array.from(Buffer.from(facts.user_id)),
    userName: facts.email,
    userDisplayName: facts.email,
    challenge: Uint8Array.from(facts.challenge),
    attestationType: 'none',
    supportedAlgorithmIDs: ALGORITHMS,
    excludeCredentials: facts.known.map(descriptor),
    authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
  })
}

/** The options with which a browser signs; any passkey may sign if none is named. */
export async function requestOptions(facts: {
  base_url: string
  challenge: Buffer
  allowed: Passkey[]
  must_verify_user: boolean
}): Promise<PublicKeyCredentialRequestOptionsJSON> {
  const { generateAuthenticationOptions } = await library()
  return await generateAuthenticationOptions({
    rpID: new URL(facts.base_url).hostname,
    challenge: Uint8Array.from(facts.challenge),
    allowCredentials: facts.allowed.map(descriptor),
    userVerification: facts.must_verify_user ? 'required' : 'preferred',
  })
}

function descriptor({ credential_id, transports }: Passkey) {
  return { id: credential_id, transports }
}

/** The new passkey of a response; undefined if it does not verify. */
export async function verifyCreation(
  base_url: string,
  answer: PasskeyAnswer,
): Promise<Pick<Passkey, 'credential_id' | 'public_key' | 'counter' | 'transports'> | undefined> {
  const { verifyRegistrationResponse } = await library()
  const { registrationInfo } = await verifyRegistrationResponse({
    response: answer.json as RegistrationResponseJSON,
    expectedChallenge: answer.challenge,
    expectedOrigin: base_url,
    expectedRPID: new URL(base_url).hostname,
    supportedAlgorithmIDs: ALGORITHMS,
    requireUserVerification: true,
  }).catch(() => ({ registrationInfo: undefined }))
  if (!registrationInfo) return undefined
  const { id, publicKey, counter, transports = [] } = registrationInfo.credential
  return { credential_id: id, public_key: Buffer.from(publicKey), counter, transports }
}

/** The passkey's new counter if the response is signed by it; undefined otherwise. */
export async function verifySignature(
  base_url: string,
  answer: PasskeyAnswer,
  facts: { passkey: Passkey; must_verify_user: boolean },
): Promise<number | undefined> {
  const { verifyAuthenticationResponse } = await library()
  const { credential_id, public_key, counter } = facts.passkey
  const verified = await verifyAuthenticationResponse({
    response: answer.json as AuthenticationResponseJSON,
    expectedChallenge: answer.challenge,
    expectedOrigin: base_url,
    expectedRPID: new URL(base_url).hostname,
    credential: { id: credential_id, publicKey: Uint8Array.from(public_key), counter },
    requireUserVerification: facts.must_verify_user,
  }).catch(() => undefined)
  return verified?.verified ? verified.authenticationInfo.newCounter : undefined
}
