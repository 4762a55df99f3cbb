import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import fc from 'fast-check'
import * as grants from '#domain/grants'
import type { AppId } from '#platform/ids'
import { openProvider } from '../../src/surfaces/oidc/provider.ts'
import { openTestService, type TestService } from '../support/service.ts'
import { addApp } from '../support/sign-in.ts'

const MUTATIONS = 10_000
const LISTED = [
  'https://driftwood.example/auth/callback?from=purser',
  'https://eu.driftwood.example/',
  'http://localhost:4999/auth/callback',
  'http://127.0.0.1:8080/cb',
]

let service: TestService
let app: { client_id: AppId }

before(async () => {
  service = await openTestService()
  app = await addApp(service, { redirect_uris: LISTED, post_logout_redirect_uris: LISTED })
})

after(async () => {
  await service.close()
})

type Mutation = (uri: string, at: number, character: string) => string

/** Typical attacks, each at any place and with any character. */
const WAYS: Mutation[] = [
  (uri, at, character) => uri.slice(0, at) + character + uri.slice(at),
  (uri, at) => uri.slice(0, at) + uri.slice(at + 1),
  (uri, at, character) => uri.slice(0, at) + character + uri.slice(at + 1),
  (uri, at) => uri.slice(0, at) + uri.charAt(at).toUpperCase() + uri.slice(at + 1),
  (uri, at) => {
    const code = uri.charCodeAt(at).toString(16)
    return `${uri.slice(0, at)}%${code}${uri.slice(at + 1)}`
  },
  (uri, at) => uri.slice(0, at),
  (uri, at) => uri.slice(at),
  (uri) => `${uri}/`,
  (uri) => uri.replace(/\/$/, ''),
  (uri) => `${uri}#`,
  (uri, _at, character) => `${uri}#${character}`,
  (uri, _at, character) => `${uri}${uri.includes('?') ? '&' : '?'}x=${character}`,
  (uri, _at, character) => `${uri}/../${character}`,
  (uri, _at, character) => uri.replace('://', `://${character}@`),
  (uri, _at, character) => uri.replace('://', `://${character}.`),
  (uri) => uri.replace(/(\/\/[^/]+)/, '$1.evil.example'),
  (uri) => uri.replace(/(\/\/[^/]+)/, '$1.'),
  (uri) => uri.replace('//', '//evil.example\\@'),
  (uri) => uri.replace('https:', 'http:'),
  (uri) => uri.replace('http:', 'https:'),
  (uri, at) => uri.replace(/:\d+|(\/\/[^/:]+)/, (found) => `${found.split(':')[0]}:${at}`),
  (uri) => uri.replace(/(\/\/[^/:]+)(:\d+)?\//, '$1:443/'),
  (uri) => uri.replace('localhost', '127.0.0.1'),
  (uri) => uri.replace('127.0.0.1', 'localhost'),
  (uri) => uri.replace('127.0.0.1', '[::1]'),
  (uri) => uri.replace('.example', '.example%2eevil.example'),
  (uri) => ` ${uri}`,
  (uri) => `${uri} `,
  (uri, _at, character) => `${uri}\n${character}`,
  (uri) => uri.replace('//', '////'),
  (uri) => uri.replaceAll('/', '\\'),
  (uri) => uri.replace('a', 'а'),
  (uri) => uri.normalize('NFD').replace('e', 'é'),
  (uri) => `${uri}?${uri}`,
  (uri) => `${uri},${uri}`,
  (uri) => `${uri} ${uri}`,
]

const mutated = fc
  .record({
    uri: fc.constantFrom(...LISTED),
    way: fc.constantFrom(...WAYS),
    place: fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
    character: fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }),
  })
  .map(({ uri, way, place, character }) => way(uri, Math.floor(place * uri.length), character))
  .filter((text) => !LISTED.includes(text))

test(`of ${MUTATIONS} redirect URIs that differ from a listed one by anything none is taken`, async () => {
  const { world } = service
  const tools = { keys: world.keys, random: world.random }
  const keys = await grants.openKeys(world.db, world.clock.now(), tools)
  const client = (await openProvider(world, keys).Client.find(app.client_id))!
  for (const uri of LISTED) {
    assert.ok(client.redirectUriAllowed(uri))
    assert.ok(client.postLogoutRedirectUriAllowed(uri))
  }
  let tried = 0
  const isRefused = (uri: string) => {
    tried++
    return !client.redirectUriAllowed(uri) && !client.postLogoutRedirectUriAllowed(uri)
  }
  fc.assert(fc.property(mutated, isRefused), { numRuns: MUTATIONS })
  assert.equal(tried, MUTATIONS)
})

test('answers an unlisted address with an error page, before sign-in', async () => {
  for (const [index, redirect_uri] of fc.sample(mutated, 200).entries()) {
    const query = new URLSearchParams({
      client_id: app.client_id,
      redirect_uri,
      response_type: 'code',
      scope: 'openid',
      code_challenge: 'a'.repeat(43),
      code_challenge_method: 'S256',
    })
    const remoteAddress = `10.0.1.${index}`
    const answer = await service.app.inject({ url: `/o/auth?${query}`, remoteAddress })
    assert.ok([400, 404].includes(answer.statusCode), redirect_uri)
    assert.equal(answer.headers.location, undefined)
  }
})

test('an unlisted post-logout address leads to the home page', async () => {
  for (const post_logout_redirect_uri of fc.sample(mutated, 200)) {
    const query = new URLSearchParams({ client_id: app.client_id, post_logout_redirect_uri })
    const answer = await service.app.inject(`/o/session/end?${query}`)
    // A NUL is refused before the request reaches the library.
    if (post_logout_redirect_uri.includes('\0')) assert.equal(answer.statusCode, 400)
    else assert.equal(answer.headers.location, '/', post_logout_redirect_uri)
  }
})

test('a listed address is returned to as it was written, with the state beside what it has', async () => {
  for (const uri of LISTED) {
    const query = new URLSearchParams({
      client_id: app.client_id,
      post_logout_redirect_uri: uri,
      state: 'a b&c=d',
    })
    const answer = await service.app.inject(`/o/session/end?${query}`)
    const mark = uri.includes('?') ? '&' : '?'
    assert.equal(answer.headers.location, `${uri}${mark}state=a%20b%26c%3Dd`)
  }
})
