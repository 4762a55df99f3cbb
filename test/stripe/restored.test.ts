import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { reviewRestored } from '#flows/check-books'
import { renewDue } from '#flows/subscription'
import { readConfig } from '#platform/config'
import { openEmbedded } from '#platform/db-embedded'
import { endReview, markRestored, restoredAt } from '#platform/installation'
import { systemRandom } from '#platform/random'
import { openService, type Service } from '../../src/service.ts'
import { openAlarms } from '../support/alarms.ts'
import { ManualClock } from '../support/clock.ts'
import { openEmbeddedTestDatabase } from '../support/database.ts'
import { buyer, TEXAS } from '../support/purchase.ts'
import { openTestService, type TestService } from '../support/service.ts'
import { SECRET_KEY, StripeDouble, WEBHOOK_SECRET } from '../support/stripe-double.ts'

const MONTH_SECONDS = 32 * 86_400

// Guards point 7 of issue 12: a restored service finds out what the processor did since the backup.
describe('a service restored from a backup', () => {
  const clock = new ManualClock()
  const data_dir = mkdtempSync(join(tmpdir(), 'purser-restored-'))
  let double: StripeDouble
  let service: TestService
  let settings: Record<string, string>
  let copy: Blob
  const restored: Service[] = []
  before(async () => {
    double = await StripeDouble.open(() => clock.now())
    settings = {
      SECRET_KEY: randomBytes(32).toString('hex'),
      STRIPE_SECRET_KEY: SECRET_KEY,
      STRIPE_WEBHOOK_SECRET: WEBHOOK_SECRET,
      STRIPE_API_BASE: double.url,
    }
    service = await openTestService({ clock, settings, db: await openEmbeddedTestDatabase() })
    await buy('before@example.com')
    copy = await service.world.db.copy!()
  })
  after(async () => {
    for (const each of [...restored, service]) await each.close()
    await double.close()
    rmSync(data_dir, { recursive: true, force: true })
  })

  async function buy(email: string): Promise<void> {
    const agent = buyer(service)
    await agent.open(`/buy/${service.demo.app.prices[0]!.public_id}/`)
    const away = await agent.submit('Continue', { email, ...TEXAS })
    await agent.open(double.enterCard(away.url.split('/').at(-1)!, '4242424242424242', '78701'))
    await agent.submit(/^Pay /)
  }
  async function restore(): Promise<Service> {
    const db = await openEmbedded({ loadDataDir: copy })
    await markRestored(db, clock.now())
    const config = readConfig(
      { NODE_ENV: 'test', LOG_LEVEL: 'silent', DEMO: '0', DATA_DIR: data_dir, ...settings },
      systemRandom,
    )
    const opened = await openService(config, { db, clock })
    restored.push(opened)
    return opened
  }
  const taken = () =>
    double.state.all('payment_intent', ({ status }) => status === 'succeeded').length

  test('lets renewals go on where the processor has nothing else', async () => {
    const { world } = await restore()
    assert.equal(await reviewRestored(world), 0)
    assert.equal(await restoredAt(world.db), undefined)
    assert.equal(await reviewRestored(world), undefined)
  })

  test('raises an alarm for each later charge, and charges no period a second time', async () => {
    clock.pass(MONTH_SECONDS)
    assert.equal(await renewDue(service.world), 1)
    await buy('later@example.com')
    assert.equal(taken(), 3)

    const { world } = await restore()
    assert.equal(await renewDue(world), 0, 'the renewal was charged after the backup')
    assert.equal(await reviewRestored(world), 2)
    assert.equal(await reviewRestored(world), 2)
    const alarms = await openAlarms(world.db)
    assert.deepEqual(
      alarms.map(({ kind, count }) => [kind, count]),
      [
        ['restored_unknown', 2],
        ['restored_unknown', 2],
      ],
    )
    assert.match(alarms[0]!.message, /The charge \w+ of \$\d+\.\d\d was made on \S+Z, after the/)
    assert.equal(await renewDue(world), 0)
    assert.equal(taken(), 3)

    // The subscription is due in this database: only the review kept it from a second charge.
    assert.equal(await endReview(world.db), true)
    assert.equal(await renewDue(world), 1)
    assert.equal(taken(), 4)
  })
})
