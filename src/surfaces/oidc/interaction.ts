import type { FastifyRequest } from 'fastify'
import type { Client, InteractionResults, Provider } from 'oidc-provider'
import * as grants from '#domain/grants'
import type { Session } from '#domain/identity'
import type { World } from '#flows/world'
import type { AppRequest } from '#http/app-request'
import { paramsOf } from '#http/input'
import { INTERACTION_COOKIE, SIGN_IN_COOKIE } from './cookies.ts'
import { appOf } from './policy.ts'

/** A sign-in that waits for a person: to sign in, or to agree. */
export type Interaction = Awaited<ReturnType<Provider['interactionDetails']>>

/** The address of an interaction, as its route has it. */
export const INTERACTION = '/o/interaction/:uid'

/** The interaction of this address, if this browser is the one that began it. */
export async function ownInteraction(
  provider: Provider,
  request: FastifyRequest,
): Promise<Interaction | undefined> {
  const { uid } = paramsOf(INTERACTION, request)
  if (request.cookies[INTERACTION_COOKIE] !== uid) return undefined
  return (await provider.Interaction.find(uid)) as Interaction | undefined
}

/** Notes what came of an interaction, beside what came of those before it in this sign-in. */
export async function resolve(
  interaction: Interaction,
  result: InteractionResults,
): Promise<string> {
  interaction.result = 'error' in result ? result : { ...interaction.lastSubmission, ...result }
  await interaction.persist()
  return `/o/auth/${interaction.uid}`
}

/**
 * Signs a person in to the app. A sign-in session that another account had in this browser ends
 * here, and what apps got in it: the browser is in other hands.
 */
export async function resolveSignIn(
  { db, clock }: World,
  request: FastifyRequest,
  interaction: Interaction,
  session: Session,
): Promise<string> {
  const { user_id, authenticated_at } = session
  const name = request.cookies[SIGN_IN_COOKIE] ?? ''
  const before = await grants.findRecord(db, clock.now(), { kind: 'Session', name })
  const { uid, accountId } = before?.payload ?? {}
  if (accountId !== undefined && accountId !== user_id) await grants.endSession(db, String(uid))
  interaction.session = undefined
  const ts = Math.floor(authenticated_at.getTime() / 1000)
  return await resolve(interaction, { login: { accountId: user_id, ts } })
}

/** What an app asks of whoever signs in. */
export interface SignInDemand {
  params: Record<string, unknown>
  /** The app wants a proof that was given after this. */
  since: Date | undefined
}

/** What an interaction that waits for a sign-in asks of it. */
export async function demandOf(
  { db, clock }: World,
  { params, prompt, uid: name }: Interaction,
): Promise<SignInDemand> {
  if (!prompt.reasons.includes('login_prompt')) return { params, since: undefined }
  const begun = await grants.findRecord(db, clock.now(), { kind: 'Interaction', name })
  return { params, since: begun?.created_at }
}

/** Whether this session is what is asked for: of this app, of this person, and as fresh. */
export function satisfies(
  { clock }: World,
  keys: grants.Keys,
  session: Session,
  client: Client,
  { params, since }: SignInDemand,
): boolean {
  if (!grants.mayEnter(session, appOf(client))) return false
  const hinted = subjectOf(params.id_token_hint)
  const { user_id, authenticated_at } = session
  const app_id = String(client.sector)
  if (hinted !== undefined && hinted !== grants.subjectOf(keys.subject, { app_id, user_id })) {
    return false
  }
  return grants.isFreshEnough(clock.now(), authenticated_at, {
    since,
    max_age: typeof params.max_age === 'string' ? Number(params.max_age) : undefined,
  })
}

/** The parameters that an app sent; the library names those that it did not send as well. */
export function appParamsOf(params: Record<string, unknown>): AppRequest['params'] {
  const isText = (value: unknown) => typeof value === 'string' || Array.isArray(value)
  const sent = Object.entries(params).filter(([, value]) => isText(value))
  return Object.fromEntries(sent) as AppRequest['params']
}

/** The sign-in page, which returns to this path afterwards. */
export function signInUrl(path: string): string {
  return `/signin/?return_to=${encodeURIComponent(path)}`
}

/** The error that an app receives when a person cancels the sign-in. */
export const DENIED = {
  error: 'access_denied',
  error_description: 'the user denied the request',
}

/** The person that a hint names; the library has checked whose signature it bears. */
function subjectOf(hint: unknown): string | undefined {
  if (typeof hint !== 'string') return undefined
  const [, payload = ''] = hint.split('.')
  return JSON.parse(Buffer.from(payload, 'base64url').toString('utf8')).sub
}
