import type { FastifyRequest } from 'fastify'
import { z } from 'zod'
import * as apps from '#domain/apps'
import * as grants from '#domain/grants'
import * as identity from '#domain/identity'
import type { World } from '#flows/world'
import { browserId, type CookieJar } from '#http/browser'
import { sha256 } from '#platform/secrets'
import { readToken, signToken, type TokenKind } from '#platform/signed-token'

/**
 * An app's request to sign a person in, before they are signed in. It is signed and kept in the
 * return address of the sign-in page rather than stored, and an email can carry it for a week.
 */
export interface AppRequest {
  params: Record<string, string | string[]>
  begun_at: Date
}

/** The path at which a request continues after sign-in. */
export const CONTINUE = '/o/continue'

/** An app's request, the time at which it began (milliseconds), and its browser. */
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
/** The longest accepted `state`, in bytes. */
const MAX_STATE_LENGTH = 4096
/** The longest request that fits into an address, in characters. */
const LONGEST = 8000

/** What is too long in an app's request, if anything. */
export function excessOf(parameters: URLSearchParams): string | undefined {
  const state = Buffer.byteLength(parameters.get('state') ?? '')
  if (state > MAX_STATE_LENGTH) return `state has ${state} bytes; use at most ${MAX_STATE_LENGTH}.`
  const { length } = JSON.stringify([...parameters])
  return length > LONGEST
    ? `The request has ${length} characters; use at most ${LONGEST}.`
    : undefined
}

/** The path that carries a request through sign-in; only this browser can use it. */
export function carry(
  world: World,
  request: FastifyRequest,
  jar: CookieJar,
  { params, begun_at }: AppRequest,
): string {
  const facts = { params, begun: begun_at.getTime(), browser: browserMark(world, request, jar) }
  return `${CONTINUE}?request=${signToken(world, CARRIED, facts, { at: begun_at })}`
}

/**
 * The request in a path, and whether this browser began it; undefined if the signature is invalid.
 */
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

/** The app that requests a sign-in, for the sign-in pages. */
export interface RequestingApp {
  name: string
  url: string | undefined
  /** Where Cancel leads. */
  cancel_url: string
  /** The email with which the app expects the person to sign in (`login_hint`). */
  expected_email: string | undefined
}

/** The app whose request continues at this path, if there is one. */
export async function requestingApp(
  world: World,
  path: string | undefined,
): Promise<RequestingApp | undefined> {
  const carried = path === undefined ? undefined : open(world, path)
  if (!carried) return undefined
  const client_id = String(carried.params.client_id)
  const known = {
    cancel_url: path!.replace(CONTINUE, `${CONTINUE}/cancel`),
    expected_email: identity.readEmail(String(carried.params.login_hint ?? ''))?.email,
  }
  if (client_id === grants.AGENT_CLIENT) return { name: 'the agent', url: undefined, ...known }
  const client = await apps.findSignInClient(world.db, client_id)
  if (!client?.app_name) return undefined
  return { name: client.app_name, url: client.app_url ?? undefined, ...known }
}
