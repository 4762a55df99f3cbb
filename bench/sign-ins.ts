/**
 * Whole sign-ins of a person who agreed before: authorization request, code, token. Prints one line
 * of JSON. The cookies of the person's sign-in session come from the environment.
 */
import { createHash, randomBytes } from 'node:crypto'
import { Agent, request } from 'node:http'

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

interface Answer {
  status: number
  location: string | undefined
  body: string
}

async function signIn(): Promise<void> {
  const code_verifier = randomBytes(32).toString('base64url')
  const code_challenge = createHash('sha256').update(code_verifier).digest('base64url')
  const asked = new URLSearchParams({
    client_id,
    redirect_uri,
    response_type: 'code',
    scope: 'openid entitlements',
    state: code_verifier.slice(0, 8),
    code_challenge,
    code_challenge_method: 'S256',
  })
  const authorized = await ask('GET', `/o/auth?${asked}`)
  const code = URL.parse(authorized.location ?? '', base)?.searchParams.get('code')
  if (!code) throw new Error(`no code: ${authorized.status} ${authorized.location}`)
  const form = { grant_type: 'authorization_code', code, redirect_uri, code_verifier }
  const token = await ask('POST', '/o/token', new URLSearchParams(form).toString())
  if (token.status !== 200) throw new Error(`no token: ${token.status} ${token.body}`)
}

function ask(method: string, path: string, form?: string): Promise<Answer> {
  const headers = {
    ...(form === undefined
      ? { cookie }
      : {
          authorization,
          'content-type': 'application/x-www-form-urlencoded',
          'content-length': Buffer.byteLength(form),
        }),
  }
  return new Promise((resolve, reject) => {
    const options = { agent, hostname: base.hostname, port: base.port, method, path, headers }
    const call = request(options, (answer) => {
      let body = ''
      answer.setEncoding('utf8')
      answer.on('data', (chunk: string) => {
        body += chunk
      })
      answer.on('end', () =>
        resolve({ status: answer.statusCode!, location: answer.headers.location, body }),
      )
    })
    call.on('error', reject)
    call.end(form)
  })
}

const started = performance.now()
const until = started + seconds * 1000
const times: number[] = []
await Promise.all(
  Array.from({ length: AT_ONCE }, async () => {
    while (performance.now() < until) {
      const before = performance.now()
      await signIn()
      times.push(performance.now() - before)
    }
  }),
)
const took = (performance.now() - started) / 1000
times.sort((left, right) => left - right)
const at = (share: number) => Math.round(times[Math.floor(times.length * share)]! * 10) / 10
console.log(
  JSON.stringify({ rate: times.length / took, p50_ms: at(0.5), p99_ms: at(0.99), bad: 0 }),
)
agent.destroy()
