import * as grants from '#domain/grants'
import * as identity from '#domain/identity'
import { mintId } from '#platform/ids'
import { mintSecret } from '#platform/secrets'
import type { TestService } from './service.ts'

/** An access token of an agent with these scopes; all four by default. */
export async function agentToken(
  { world }: Pick<TestService, 'world'>,
  facts: { email: string; scopes?: readonly grants.AgentScope[] },
): Promise<string> {
  const { db, clock, random, config } = world
  const { email, scopes = grants.AGENT_SCOPES } = facts
  const user = await identity.findByEmail(db, identity.readEmail(email)!.email_normalized)
  if (!user) throw new Error(`no user has the email ${email}`)
  const now = clock.now()
  const audience = grants.agentAudience(config.base_url)
  const [grant, token] = [mintSecret(random), mintSecret(random)]
  const keep = async (record: grants.RecordName, given: Partial<grants.RecordFacts>) => {
    const iat = Math.floor(now.getTime() / 1000)
    const life = record.kind === 'Grant' ? grants.LIFETIMES.grant : grants.LIFETIMES.access_token
    await grants.saveRecord(db, now, record, {
      grant: undefined,
      session_uid: undefined,
      client_id: grants.AGENT_CLIENT,
      user_id: user.id,
      scope: undefined,
      audience: undefined,
      life,
      ...given,
      payload: {
        kind: record.kind,
        accountId: user.id,
        clientId: grants.AGENT_CLIENT,
        iat,
        exp: iat + life,
        ...given.payload,
      },
    })
  }
  const scope = scopes.join(' ')
  await keep({ kind: 'Grant', name: grant }, { payload: { resources: { [audience]: scope } } })
  await grants.addAgent(db, now, {
    id: mintId(random, 'agt'),
    grant,
    user_id: user.id,
    scopes,
    callback: '127.0.0.1:33418',
    browser: 'A test',
  })
  const payload = { grantId: grant, gty: 'authorization_code', scope, aud: audience }
  await keep({ kind: 'AccessToken', name: token }, { payload, grant, scope, audience })
  return token
}

/** An access token of an agent of the cast's seller with these scopes; all four by default. */
export async function sellerToken(
  service: TestService,
  ...scopes: grants.AgentScope[]
): Promise<string> {
  const { email } = service.demo.seller
  return await agentToken(service, { email, ...(scopes.length > 0 ? { scopes } : {}) })
}

/** The header of a request with such a token. */
export async function sellerBearer(service: TestService, ...scopes: grants.AgentScope[]) {
  return { authorization: `Bearer ${await sellerToken(service, ...scopes)}` }
}

/** What the token endpoint answers to a form. */
export async function requestToken(
  { app }: Pick<TestService, 'app'>,
  fields: Record<string, string>,
  headers: Record<string, string> = {},
) {
  const answer = await app.inject({
    method: 'POST',
    url: '/o/token',
    headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
    payload: new URLSearchParams(fields).toString(),
  })
  return { status: answer.statusCode, ...answer.json() }
}
