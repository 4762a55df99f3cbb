import type { FastifyRequest } from 'fastify'
import { z } from 'zod'
import * as apps from '#domain/apps'
import * as grants from '#domain/grants'
import type { World } from '#flows/world'
import { browserId, type CookieJar } from '#http/browser'
import { sha256 } from '#platform/secrets'
import { readToken, signToken, type TokenKind } from '#platform/signed-token'

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

/** An app's request, when it was made (milliseconds), and in which browser. */
const CARRIED: TokenKind<{
  params: AppRequest['params']
  begun: number
  browser: string
}> = {
  purpose: 'app-request',
  seconds: 7 * 86_400,
  facts: z.object({
    params: z.record(z.string(), z.union([z.string(), z.array(z.string())])),
    begun: z.number(),
    browser: z.string(),
  }),
}
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
  const facts = { params, begun: begun_at.getTime(), browser: browserMark(world, request, jar) }
  return `${CONTINUE}?request=${signToken(world, CARRIED, facts, { at: begun_at })}`
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

function open(world: World, path: string): (AppRequest & { browser: string }) | undefined {
  const [, token] = /^\/o\/continue\?request=([\w.-]+)$/.exec(path) ?? []
  const carried = readToken(world, CARRIED, token)
  if (!carried) return undefined
  const { params, begun, browser } = carried
  return { params, begun_at: new Date(begun), browser }
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
