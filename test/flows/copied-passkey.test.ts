import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { passkeyRequestOptions, signInWithPasskey } from '#flows/sign-in'
import type { World } from '#flows/world'
import { sha256 } from '#platform/secrets'
import { addPasskey, signUp } from '../support/account.ts'
import { openTestService, type TestService } from '../support/service.ts'
import type { SoftPasskey } from '../support/soft-passkey.ts'

let service: TestService
before(async () => {
  service = await openTestService()
  await service.world.jobs.start()
})
after(() => service.close())

const BROWSER = sha256('a browser')
const ORIGIN = { address: '127.0.0.1', agent: 'A test', request_id: 'req_test' }

async function owned(): Promise<SoftPasskey> {
  const { agent } = await signUp(service)
  return await addPasskey(service, agent)
}

/** What a device signs that counted so many signatures before. */
async function signed(passkey: SoftPasskey, counter: number): Promise<string> {
  const { world } = service
  const request = { purpose: 'sign_in', user_id: null, browser_hash: BROWSER } as const
  const options = await passkeyRequestOptions(world, request)
  passkey.counter = counter
  return passkey.get(options as never, { origin: world.config.base_url })
}

const outcomeOf = async (world: World, text: string) =>
  (await signInWithPasskey(world, { text, browser_hash: BROWSER, origin: ORIGIN })).outcome

/** A world in which sign-ins go on once as many as `count` have read their passkey. */
function readingAtOnce({ world }: TestService, count: number): World {
  const { promise, resolve } = Promise.withResolvers<void>()
  let read = 0
  const maybe: typeof world.db.maybe = async (statement) => {
    const row = await world.db.maybe(statement)
    if (/from passkeys\s+where credential_id/.test(statement.text)) {
      if (++read === count) resolve()
      await promise
    }
    return row as never
  }
  return { ...world, db: { ...world.db, maybe } }
}

describe('a copy of a passkey, which counts its own signatures', () => {
  test('signs no one in whose owner signed since', async () => {
    const passkey = await owned()
    assert.equal(await outcomeOf(service.world, await signed(passkey, 4)), 'signed_in')
    for (const before of [3, 4]) {
      assert.equal(await outcomeOf(service.world, await signed(passkey, before)), 'wrong')
    }
    assert.equal(await outcomeOf(service.world, await signed(passkey, 5)), 'signed_in')
  })

  test('signs no one in beside its owner at the same moment', async () => {
    const passkey = await owned()
    const texts = [await signed(passkey, 4), await signed(passkey, 4)]
    const world = readingAtOnce(service, texts.length)
    const outcomes = await Promise.all(texts.map((text) => outcomeOf(world, text)))
    assert.deepEqual(outcomes.sort(), ['signed_in', 'wrong'])
  })
})

test('a passkey that does not count signs its owner in each time', async () => {
  const passkey = await owned()
  for (let times = 0; times < 3; times++) {
    assert.equal(await outcomeOf(service.world, await signed(passkey, -1)), 'signed_in')
  }
})
