/**
 * The baseline of hosted sign-in: its library behind node:http with the fewest settings that give
 * the same responses, on the same database through the same storage, and nothing else from the
 * service.
 */

import { createServer, type IncomingMessage } from 'node:http'
import { Provider } from 'oidc-provider'
import * as apps from '#domain/apps'
import * as grants from '#domain/grants'
import { readConfig } from '#platform/config'
import { parseId } from '#platform/ids'
import { systemRandom } from '#platform/random'
import { openService } from '../src/service.ts'
import { storageOf } from '../src/surfaces/oidc/adapter.ts'
import { SIGN_IN_COOKIE } from '../src/surfaces/oidc/cookies.ts'

const { world } = await openService(readConfig(process.env, systemRandom))
const { db, clock, random, config } = world
const keys = await grants.openKeys(db, clock.now(), { keys: world.keys, random })
const { published } = grants.orderKeys(clock.now(), keys.signing)

const provider = new Provider(`${config.base_url}/o`, {
  adapter: (name) => storageOf(world, name),
  jwks: { keys: published.map(({ jwk }) => jwk) } as never,
  scopes: [...grants.DEFAULT_SCOPES],
  subjectTypes: ['pairwise'],
  pairwiseIdentifier: (_ctx, accountId, client) =>
    grants.subjectOf(keys.subject, {
      sector: String(client.sector),
      user_id: parseId('usr', accountId),
    }),
  findAccount: (_ctx, accountId) => ({ accountId, claims: () => ({ sub: accountId }) }),
  extraClientMetadata: { properties: ['sector', 'app_id', 'app_name', 'app_url'] },
  sectorIdentifierUriValidate: () => false,
  pkce: { required: () => true },
  issueRefreshToken: async () => true,
  cookies: { names: { session: SIGN_IN_COOKIE } },
  features: { devInteractions: { enabled: false } },
})
provider.Client.prototype.compareClientSecret = function (secret: string) {
  const secret_hash = Buffer.from(this.clientSecret ?? '', 'base64url')
  return apps.hasSecret({ app_id: null, secret_hash }, secret)
}
const answer = provider.callback()

createServer((request: IncomingMessage & { originalUrl?: string }, response) => {
  request.originalUrl = request.url!
  request.url = request.url!.slice('/o'.length) || '/'
  answer(request, response)
}).listen(Number(process.env.LISTEN), '127.0.0.1')
process.on('SIGTERM', () => process.exit(0))
