import type { FastifyRequest } from 'fastify'
import * as apps from '#domain/apps'
import * as grants from '#domain/grants'
import type { World } from '#flows/world'
import { browserId, type CookieJar } from '#http/browser'
import { addSeconds } from '#platform/calendar'
import { sameDigest, sha256 } from '#platform/secrets'

/**
 * An app's request to sign a person in, before they are signed in. The address that sign-in leads
 * back to carries it, signed; nothing is stored for it, and an email can bring it back for a week.
 */
export interface AppRequest {
  params: Record<string, string | string[]>
  begun_at: Date
}

/** Where a request continues after sign-in. */
export const CONTINUE = '/o/continue'

const LIFE_SECONDS = 7 * 86_400
const PURPOSE = 'app-request'
/** The longest `state` that an app may send, in bytes. */
const LONGEST_STATE = 4096
/** The longest request that an address can carry. */
const LONGEST = 8000

/** Says what is too long in a request of an app, or nothing. */
export function excessOf(parameters: URLSearchParams): string | undefined {
  const state = Buffer.byteLength(parameters.get('state') ?? '')
  if (state > LONGEST_STATE) return `state has ${state} bytes; use at most ${LONGEST_STATE}.`
  const { length } = JSON.stringify([...parameters])
  return length > LONGEST
    ? `The request has ${length} characters; use at most ${LONGEST}.`
    : undefined
}

/** The path that carries a request through sign-in, in this browser alone. */
export function carry(
  world: World,
  request: FastifyRequest,
  jar: CookieJar,
  { params, begun_at }: AppRequest,
): string {
  const facts = [params, begun_at.getTime(), browserMark(world, request, jar)]
  const body = Buffer.from(JSON.stringify(facts)).toString('base64url')
  const signature = world.keys.hmac(PURPOSE, body).toString('base64url')
  return `${CONTINUE}?request=${body}.${signature}`
}

/** The request that a path carries, and whether this browser began it; undefined if not ours. */
export function readCarried(
  world: World,
  request: FastifyRequest,
  jar: CookieJar,
  path: string,
): (AppRequest & { is_own: boolean }) | undefined {
  const read = open(world, path)
  return read && { ...read, is_own: read.browser === browserMark(world, request, jar) }
}

function open(
  { keys, clock }: World,
  path: string,
): (AppRequest & { browser: string }) | undefined {
  const parts = /^\/o\/continue\?request=([\w-]+)\.([\w-]+)$/.exec(path)
  if (!parts) return undefined
  const [, body = '', signature = ''] = parts
  const given = Buffer.from(signature, 'base64url')
  if (!keys.hmacs(PURPOSE, body).some((each) => sameDigest(each, given))) return undefined
  const [params, begun, browser] = JSON.parse(Buffer.from(body, 'base64url').toString('utf8'))
  const begun_at = new Date(begun)
  if (addSeconds(begun_at, LIFE_SECONDS) <= clock.now()) return undefined
  return { params, begun_at, browser }
}

function browserMark(world: World, request: FastifyRequest, jar: CookieJar): string {
  return sha256(`app-request ${browserId(world, request, jar)}`)
    .subarray(0, 12)
    .toString('base64url')
}

/** The app that asks a person to sign in, as the pages of sign-in show it. */
export interface AskingApp {
  name: string
  url: string | undefined
  /** Where the person goes who does not want to sign in. */
  cancel_url: string
}

/** The app that waits behind a path that sign-in leads back to, if one does. */
export async function askingApp(
  world: World,
  path: string | undefined,
): Promise<AskingApp | undefined> {
  const carried = path === undefined ? undefined : open(world, path)
  if (!carried) return undefined
  const client_id = String(carried.params.client_id)
  const cancel_url = path!.replace(CONTINUE, `${CONTINUE}/cancel`)
  if (client_id === grants.AGENT_CLIENT) return { name: 'the agent', url: undefined, cancel_url }
  const client = await apps.findSignInClient(world.db, client_id)
  if (!client?.app_name) return undefined
  return { name: client.app_name, url: client.app_url ?? undefined, cancel_url }
}
