import type { FastifyRequest } from 'fastify'
import type { InteractionResults, Provider } from 'oidc-provider'
import * as grants from '#domain/grants'
import type { Session } from '#domain/identity'
import type { World } from '#flows/world'
import { INTERACTION_COOKIE, SIGN_IN_COOKIE } from './cookies.ts'

/** A sign-in that waits for a person: to sign in, or to agree. */
export type Interaction = Awaited<ReturnType<Provider['interactionDetails']>>

/** The interaction of this address, if this browser is the one that began it. */
export async function ownInteraction(
  provider: Provider,
  request: FastifyRequest,
): Promise<Interaction | undefined> {
  const { uid } = request.params as { uid: string }
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

/** Whether this session is what the interaction asks for: this app's, this person's, this fresh. */
export async function satisfies(
  { db, clock }: World,
  keys: grants.Keys,
  interaction: Interaction,
  session: Session,
  client: { app_id: string | null; sector: string },
): Promise<boolean> {
  if (!grants.mayEnter(session, client.app_id)) return false
  const { params, prompt } = interaction
  const hinted = subjectOf(params.id_token_hint)
  const { user_id, authenticated_at } = session
  if (hinted !== undefined) {
    const subject = grants.subjectOf(keys.subject, { app_id: client.sector, user_id })
    if (hinted !== subject) return false
  }
  const now = clock.now()
  const begun = await grants.findRecord(db, now, { kind: 'Interaction', name: interaction.uid })
  return grants.isFreshEnough(now, authenticated_at, {
    since: prompt.reasons.includes('login_prompt') ? begun?.created_at : undefined,
    max_age: typeof params.max_age === 'string' ? Number(params.max_age) : undefined,
  })
}

/** The person that a hint names; the library has checked whose signature it bears. */
function subjectOf(hint: unknown): string | undefined {
  if (typeof hint !== 'string') return undefined
  const [, payload = ''] = hint.split('.')
  return JSON.parse(Buffer.from(payload, 'base64url').toString('utf8')).sub
}
