import assert from 'node:assert/strict'
import { afterEach, beforeEach, describe, test } from 'node:test'
import { checkMoney } from '#flows/check-installation'
import { ConfigError } from '#platform/config'
import type { Database } from '#platform/db'
import { checkSecretKeys } from '#platform/installation'
import { keyRing, sha256 } from '#platform/secrets'
import { sql } from '#platform/sql'
import { openTestDatabase } from '../support/database.ts'
import { buyer, purchase } from '../support/purchase.ts'
import { openTestService } from '../support/service.ts'

let db: Database
beforeEach(async () => {
  db = await openTestDatabase()
})
afterEach(() => db.close())

const refused = (pattern: RegExp) => (error: Error) =>
  error instanceof ConfigError && pattern.test(error.message)

// R10
describe('SECRET_KEY', () => {
  const NOW = new Date('2026-03-10T12:00:00Z')
  const start = (...names: string[]) =>
    checkSecretKeys(db, NOW, keyRing(names.map((name) => sha256(name))))

  test('is refused at startup if the database was written with another key', async () => {
    await start('old')
    await start('old')
    await assert.rejects(start('other'), refused(/written with another key.*empty database/))
  })

  test('changes in two steps: every process learns the new key before one writes with it', async () => {
    await start('old')
    await assert.rejects(start('new', 'old'), refused(/Put it last \(old,new\), restart every/))
    await start('old', 'new')
    // The second process of two is still at the first step while the first is at the second.
    await start('new', 'old')
    await start('old', 'new')
    await start('new', 'old')
    await assert.rejects(start('old'), refused(/written with another key/))
    await assert.rejects(
      start('new'),
      refused(/written with another key, too, .* Add it at the end/),
    )
  })

  test('that was announced and never used can be dropped', async () => {
    await start('old', 'new')
    await start('old')
  })
})

// R10
test('a license key created during a rotation validates in the next step', async () => {
  const minted = keyRing([sha256('old'), sha256('new')])
  const looked = keyRing([sha256('new'), sha256('old')])
  assert.ok(
    looked.hmacs('license', 'key_1').some((each) => each.equals(minted.hmac('license', 'key_1'))),
  )
  assert.ok(
    minted.hmacs('license', 'key_1').some((each) => each.equals(looked.hmac('license', 'key_1'))),
  )
})

// S8
describe('the money of a database', () => {
  const stripe = (secret_key: string) => ({
    stripe: { secret_key, webhook_secrets: [], api_base: undefined },
  })
  const SANDBOX = { stripe: undefined }
  const TEST = stripe('sk_test_abc')
  const LIVE = stripe('rk_live_abc')

  test('is undecided before the first sale', async () => {
    for (const settings of [SANDBOX, TEST, LIVE, SANDBOX]) await checkMoney(db, settings)
  })

  test('refuses a live key for a database with test money, and names the next step', async () => {
    const service = await openTestService({ db: { ...db, close: async () => {} } })
    await purchase(service, buyer(service), { email: 'mode@example.com' })
    await service.close()
    await checkMoney(db, TEST)
    await assert.rejects(
      checkMoney(db, LIVE),
      refused(/contains test-mode sales\. Set DATABASE_URL/),
    )
    await db.run(sql`update charges set processor = 'stripe'`)
    await assert.rejects(checkMoney(db, LIVE), refused(/contains test-mode sales/))
    await db.run(sql`update installation set money = 'live'`)
    await checkMoney(db, LIVE)
    await assert.rejects(checkMoney(db, TEST), refused(/accepts a live key only/))
    await assert.rejects(checkMoney(db, SANDBOX), refused(/accepts a live key only/))
  })

  test('with a test clock that is ahead requires the sandbox', async () => {
    const service = await openTestService({ db: { ...db, close: async () => {} } })
    await service.close()
    await db.run(sql`update apps set clock_ahead = 86400 where id = ${service.demo.app.client_id}`)
    await checkMoney(db, SANDBOX)
    for (const settings of [TEST, LIVE]) {
      await assert.rejects(checkMoney(db, settings), refused(/test clock of Tidepool is ahead/))
    }
  })
})
