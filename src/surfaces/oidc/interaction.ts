import type { FastifyRequest } from 'fastify'
import type { Client, InteractionResults, Provider } from 'oidc-provider'
import * as grants from '#domain/grants'
import type { Session } from '#domain/identity'
import type { World } from '#flows/world'
import type { AppRequest } from '#http/app-request'
import { paramsOf } from '#http/input'
import { INTERACTION_COOKIE, SIGN_IN_COOKIE } from './cookies.ts'
import { appOf } from './policy.ts'

/** A sign-in that waits for a person to sign in or consent. */
export type Interaction = Awaited<ReturnType<Provider['interactionDetails']>>

/** The route pattern of an interaction. */
export const INTERACTION = '/o/interaction/:uid'

/** The path at which an interaction continues. */
export function interactionPath({ uid }: Pick<Interaction, 'uid'>): string {
  return `/o/interaction/${uid}`
}

/** The interaction in the path, if this browser started it. */
export async function findInteraction(
  provider: Provider,
  request: FastifyRequest,
): Promise<Interaction | undefined> {
  const { uid } = paramsOf(INTERACTION, request)
  if (request.cookies[INTERACTION_COOKIE] !== uid) return undefined
  return (await provider.Interaction.find(uid)) as Interaction | undefined
}

/** Records the result of an interaction, together with earlier results of the same sign-in. */
export async function resolve(
  interaction: Interaction,
  result: InteractionResults,
): Promise<string> {
  interaction.result = 'error' in result ? result : { ...interaction.lastSubmission, ...result }
  await interaction.persist()
  return `/o/auth/${interaction.uid}`
}

/**
 * Signs a person in to the app. If another account used this browser's library session, that
 * session and the tokens issued in it end here.
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

/** What an app requires of the sign-in. */
export interface SignInRequirement {
  params: Record<string, unknown>
  /** The authentication must be later than this. */
  since: Date | undefined
}

/** What an interaction requires of the sign-in. */
export async function requirementOf(
  { db, clock }: World,
  { params, prompt, uid: name }: Interaction,
): Promise<SignInRequirement> {
  if (!prompt.reasons.includes('login_prompt')) return { params, since: undefined }
  const begun = await grants.findRecord(db, clock.now(), { kind: 'Interaction', name })
  return { params, since: begun?.created_at }
}

/** Whether a session satisfies the requirement: account, app and time of authentication. */
export function satisfies(
  { clock }: World,
  keys: grants.Keys,
  session: Session,
  client: Client,
  { params, since }: SignInRequirement,
): boolean {
  if (!grants.maySignInTo(session, appOf(client))) return false
  const hinted = subjectOf(params.id_token_hint)
  const { user_id, authenticated_at } = session
  const sector = String(client.sector)
  if (hinted !== undefined && hinted !== grants.subjectOf(keys.subject, { sector, user_id })) {
    return false
  }
  return grants.isRecentEnough(clock.now(), authenticated_at, {
    since,
    max_age: typeof params.max_age === 'string' ? Number(params.max_age) : undefined,
  })
}

/** The parameters that an app sent; the library also lists those that it did not send. */
export function appParamsOf(params: Record<string, unknown>): AppRequest['params'] {
  const isText = (value: unknown) => typeof value === 'string' || Array.isArray(value)
  const sent = Object.entries(params).filter(([, value]) => isText(value))
  return Object.fromEntries(sent) as AppRequest['params']
}

/** The error that an app receives when a person cancels. */
export const DENIED = {
  error: 'access_denied',
  error_description: 'the user denied the request',
}

/** The subject of an ID token hint; the library has checked its signature. */
function subjectOf(hint: unknown): string | undefined {
  if (typeof hint !== 'string') return undefined
  const [, payload = ''] = hint.split('.')
  return JSON.parse(Buffer.from(payload, 'base64url').toString('utf8')).sub
}
