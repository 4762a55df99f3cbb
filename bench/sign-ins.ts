/**
 * Complete sign-ins of a person who consented before: authorization request, code, token. Prints
 * one line of JSON. The cookies of the sign-in session come from the environment.
 */
import { createHash, randomBytes } from 'node:crypto'
import { Agent } from 'node:http'
import { measure, sendRequest } from './generator.ts'

const base = new URL(process.env.TARGET!)
const {
  CLIENT_ID: client_id = '',
  CLIENT_SECRET: client_secret = '',
  COOKIES: cookie,
} = process.env
const redirect_uri = process.env.REDIRECT_URI!
const seconds = Number(process.env.SECONDS)
const AT_ONCE = 16
const authorization = `Basic ${Buffer.from(`${client_id}:${client_secret}`).toString('base64')}`
const agent = new Agent({ keepAlive: true, maxSockets: AT_ONCE })

// Each sign-in is another person's, from a separate address, because the limit counts by address.
let people = 0
const nextAddress = () => {
  people++
  return `10.${(people >> 16) & 255}.${(people >> 8) & 255}.${people & 255}`
}

async function signIn(): Promise<void> {
  const from = { 'x-forwarded-for': nextAddress() }
  const code_verifier = randomBytes(32).toString('base64url')
  const code_challenge = createHash('sha256').update(code_verifier).digest('base64url')
  const params = new URLSearchParams({
    client_id,
    redirect_uri,
    response_type: 'code',
    scope: 'openid entitlements',
    state: code_verifier.slice(0, 8),
    code_challenge,
    code_challenge_method: 'S256',
  })
  const authorized = await sendRequest(agent, new URL(`/o/auth?${params}`, base), {
    method: 'GET',
    headers: { cookie, ...from },
  })
  const code = URL.parse(authorized.headers.location ?? '', base)?.searchParams.get('code')
  if (!code) throw new Error(`no code: ${authorized.status} ${authorized.headers.location}`)
  const form = { grant_type: 'authorization_code', code, redirect_uri, code_verifier }
  const token = await sendRequest(agent, new URL('/o/token', base), {
    method: 'POST',
    headers: { authorization, ...from },
    form: new URLSearchParams(form).toString(),
  })
  if (token.status !== 200) throw new Error(`no token: ${token.status} ${token.body}`)
}

await measure(AT_ONCE, seconds, signIn)
agent.destroy()
