/** Sign-ins with email and password, on Purser or better-auth. Prints one line of JSON. */
import { Agent } from 'node:http'
import { measure, sendRequest } from './generator.ts'
import { Visitor } from './visitor.ts'

const base = new URL(process.env.TARGET!)
const { EMAIL: email = '', PASSWORD: password = '' } = process.env
const AT_ONCE = 16
const agent = new Agent({ keepAlive: true, maxSockets: AT_ONCE })

/** The form of the sign-in page, and the page behind it. */
async function atPurser(): Promise<void> {
  const person = new Visitor(base)
  const form = await person.open('GET', '/signin/')
  const { url } = await person.send(form, { email, password })
  if (url.startsWith('/signin/')) throw new Error('the sign-in was refused')
  person.leave()
}

/** The call that signs in, and the session behind it. */
async function atBetterAuth(): Promise<void> {
  const headers = { 'content-type': 'application/json', origin: base.origin }
  const body = JSON.stringify({ email, password })
  const url = new URL('/api/auth/sign-in/email', base)
  const signed = await sendRequest(agent, url, { method: 'POST', headers, body })
  const [cookie = ''] = signed.headers['set-cookie']?.[0]?.split(';') ?? []
  const session = new URL('/api/auth/get-session', base)
  const answer = await sendRequest(agent, session, { method: 'GET', headers: { cookie } })
  if (!answer.body.includes(email)) throw new Error(`no session: ${answer.status} ${answer.body}`)
}

const signIn = process.env.PEER === 'better-auth' ? atBetterAuth : atPurser
await measure(AT_ONCE, Number(process.env.SECONDS), signIn)
agent.destroy()
