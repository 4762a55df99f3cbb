import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import * as grants from '#domain/grants'
import { sellerToken } from '../support/agent-token.ts'
import { assertRefused } from '../support/answers.ts'
import {
  type AgentEndpointTest,
  openAgentEndpointTest,
  PING,
  post,
  toolCall,
} from '../support/mcp.ts'
import type { TestService } from '../support/service.ts'

const ALL = grants.AGENT_SCOPES.join(' ')
const READING = 'integrations.read listing.read'
let service: TestService
let base_url: string
let bearer: AgentEndpointTest['bearer']
before(async () => {
  ;({ service, base_url, bearer } = await openAgentEndpointTest())
})
after(async () => {
  await service.close()
})

describe('tokens', () => {
  const challengeOf = (answer: { headers: Record<string, unknown> }) =>
    String(answer.headers['www-authenticate'])
  const metadata = () => `resource_metadata="${base_url}/.well-known/oauth-protected-resource/mcp"`

  // F44: an agent that only reads does not ask for permission to write.
  test('without a token the answer is 401, asks for reading, and says where to learn how to get one', async () => {
    const answer = await post(service, PING)
    assertRefused(answer, 401, 'invalid_token')
    assert.equal(challengeOf(answer), `Bearer realm="agent", scope="${READING}", ${metadata()}`)
  })

  test('returns 401 for a token that is unknown, expired, revoked or for another audience', async () => {
    const { db, clock, random } = service.world
    const give = async (audience: string | undefined) => {
      const name = random.bytes(32).toString('base64url')
      const { user_id } = (await grants.findBearer(db, clock.now(), {
        token: await sellerToken(service),
        audience: grants.agentAudience(base_url),
      }))!
      await grants.saveRecord(
        db,
        clock.now(),
        { kind: 'AccessToken', name },
        {
          payload: {},
          grant: undefined,
          session_uid: undefined,
          client_id: service.demo.app.client_id,
          user_id,
          scope: `openid entitlements ${ALL}`,
          audience,
          life: 3600,
        },
      )
      return name
    }
    const revoked = await sellerToken(service)
    await grants.deleteRecord(db, { kind: 'AccessToken', name: revoked })
    const bad = [
      'nonsense',
      'not,a,token',
      await give(undefined),
      await give(`${base_url}/licensing/entitlement/`),
      revoked,
    ]
    for (const each of bad) {
      const answer = await post(service, PING, { authorization: `Bearer ${each}` })
      assertRefused(answer, 401, 'invalid_token')
      const expected = `Bearer realm="agent", error="invalid_token", scope="${READING}", ${metadata()}`
      assert.equal(challengeOf(answer), expected)
    }
    const basic = await post(service, PING, { authorization: 'Basic YTpi' })
    assertRefused(basic, 401, 'invalid_token')
    const late = await bearer()
    service.clock.pass(3600)
    assertRefused(await post(service, PING, late), 401, 'invalid_token')
  })

  test('a token for an agent opens nothing else', async () => {
    const answer = await service.app.inject({
      url: '/licensing/entitlement/',
      headers: await bearer(),
    })
    assertRefused(answer, 401, 'invalid_token')
  })

  test('a missing scope is 403, and both the challenge and the JSON-RPC error name it', async () => {
    const call = toolCall('update_app_listing', { app_slug: 'tidepool' }, 'seven')
    const answer = await post(service, call, await bearer('listing.read', 'integrations.write'))
    assert.equal(answer.statusCode, 403)
    const expected = `Bearer realm="agent", error="insufficient_scope", scope="listing.write", ${metadata()}`
    assert.equal(challengeOf(answer), expected)
    const { jsonrpc, id, error } = answer.json()
    assert.deepEqual({ jsonrpc, id }, { jsonrpc: '2.0', id: 'seven' })
    assert.equal(error.data.error, 'insufficient_scope')
    assert.equal(error.data.required_scope, 'listing.write')
    assert.match(error.message, /listing\.write/)
    // It is found in a batch too.
    const batch = await post(service, [PING, call], await bearer('listing.read'))
    assert.equal(batch.statusCode, 403)
  })

  test('the metadata say who gives tokens, for what, at both addresses and to every page', async () => {
    for (const path of ['', '/mcp', '/mcp/']) {
      const answer = await service.app.inject(`/.well-known/oauth-protected-resource${path}`)
      assert.equal(answer.statusCode, 200)
      assert.deepEqual(answer.json(), {
        resource: `${base_url}/mcp`,
        authorization_servers: [`${base_url}/o`],
        scopes_supported: [...grants.AGENT_SCOPES],
        bearer_methods_supported: ['header'],
        resource_name: 'Purser agent endpoint',
        resource_documentation: `${base_url}/docs/agents`,
      })
      assert.equal(answer.headers['access-control-allow-origin'], '*')
      assert.equal(answer.headers['cache-control'], 'public, max-age=3600')
    }
  })
})
