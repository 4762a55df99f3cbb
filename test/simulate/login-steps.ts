import * as grants from '#domain/grants'
import { type AppId, mintId, type UserId } from '#platform/ids'
import { mintSecret } from '#platform/secrets'
import type { RecordedLogin, RecordedTokenUse } from './access-record.ts'
import { begin, take } from './factor-steps.ts'
import type { Fixture } from './fixture.ts'

const DEFAULTS = { session_uid: undefined, scope: 'openid', payload: {} }

/**
 * A person signs in to an app, or allows an agent: its client gets tokens, as sign-in stores them;
 * undefined if they were revoked at that moment.
 */
export async function openLogin(
  fixture: Fixture,
  { user_id, client }: { user_id: UserId; client: AppId | 'agent' },
): Promise<RecordedLogin | undefined> {
  const { world, record } = fixture
  const { clock, random } = world
  const { at } = begin(fixture, user_id)
  const grant = mintSecret(random)
  const opened = { at, until: at }
  const login: RecordedLogin = { user_id, client, opened, grant, tokens: [], uses: [] }
  const facts = { ...DEFAULTS, user_id, client_id: clientOf(login), grant: undefined }
  await world.db.tx(async (tx) => {
    const audience = undefined
    const now = clock.now()
    const kept = { ...facts, audience, life: grants.LIFETIMES.grant }
    await grants.saveRecord(tx, now, { kind: 'Grant', name: grant }, kept)
    if (client === 'agent') {
      const agent = { id: mintId(random, 'agt'), grant, user_id, callback: '127.0.0.1:33418' }
      const scopes = grants.AGENT_SCOPES
      await grants.addAgent(tx, now, { ...agent, scopes, browser: 'A test' })
    } else {
      const party = { user_id, client_id: client }
      await grants.grantConsent(tx, now, { ...party, scopes: [...grants.DEFAULT_SCOPES] })
    }
  })
  if (!(await issue(fixture, login, undefined))) return undefined
  opened.until = clock.now()
  record.logins.push(login)
  fixture.harness.clock.pass(1)
  return login
}

const clientOf = ({ client }: Pick<RecordedLogin, 'client'>) =>
  client === 'agent' ? grants.AGENT_CLIENT : client

/** Issues the next tokens of a login; false if it was revoked. */
async function issue(
  { world }: Fixture,
  login: RecordedLogin,
  parent: string | undefined,
): Promise<boolean> {
  const { db, clock, random, config } = world
  const { user_id, grant, client } = login
  const at = clock.now()
  const [access, refresh] = [mintSecret(random), mintSecret(random)]
  const facts = { ...DEFAULTS, user_id, client_id: clientOf(login), grant }
  const audience = client === 'agent' ? grants.agentAudience(config.base_url) : undefined
  const { access_token, refresh_token } = grants.LIFETIMES
  const renewing = { ...facts, audience: undefined, parent, life: refresh_token }
  const using = { ...facts, audience, life: access_token }
  const isKept =
    (await grants.saveRecord(db, at, { kind: 'RefreshToken', name: refresh }, renewing)) &&
    (await grants.saveRecord(db, at, { kind: 'AccessToken', name: access }, using))
  if (isKept) login.tokens.push({ access, refresh, issued: { at, until: clock.now() } })
  return isKept
}

/** The client of a login uses its latest tokens, or again a refresh token from before. */
export async function useLogin(
  fixture: Fixture,
  login: RecordedLogin,
  way: RecordedTokenUse['way'],
): Promise<string> {
  const { world } = fixture
  const { db, clock, config } = world
  const { user_id, tokens, client } = login
  const index = way === 'reuse' ? 0 : tokens.length - 1
  const { access, refresh } = tokens[index]!
  const use: RecordedTokenUse = { ...begin(fixture, user_id), way, index }
  login.uses.push(use)
  const { outcome } = await take(fixture, use, async () => {
    if (way === 'access') {
      const now = clock.now()
      const audience = grants.agentAudience(config.base_url)
      const holder = await (client === 'agent'
        ? grants.findBearer(db, now, { token: access, audience })
        : grants.findHolder(db, now, access))
      return holder?.user_id === user_id ? 'accepted' : 'refused'
    }
    if (!(await grants.findRecord(db, clock.now(), { kind: 'RefreshToken', name: refresh })))
      return 'refused'
    const isUsed = await grants.useRefreshToken(db, clock.now(), refresh)
    return isUsed && (await issue(fixture, login, refresh)) ? 'accepted' : 'refused'
  })
  return outcome
}
