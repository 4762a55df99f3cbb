import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import * as listing from '#domain/listing'
import { readListing, readVersions, replaceFeatures } from '#flows/listing'
import type { Agent } from '../support/agent.ts'
import { assertInvariantsAndClose } from '../support/invariants.ts'
import { ownApp, requireWritten } from '../support/listing.ts'
import { signedIn } from '../support/seller.ts'
import { openTestService, type TestService } from '../support/service.ts'

const FEATURES = '/dashboard/apps/tidepool/listing/features/'
const { features: MOST, feature_name, feature_description } = listing.LIMITS

let service: TestService
let seller: Agent
before(async () => {
  service = await openTestService()
  seller = await signedIn(service, service.demo.seller)
})
after(() => assertInvariantsAndClose(service))

test('the largest feature table is saved from its page, and takes no row more', async () => {
  const { app, actor } = await ownApp(service)
  const versions = await readVersions(service.world.db, app.id)
  const product_ids = versions.map(({ product_public_id }) => product_public_id)
  const features = Array.from({ length: MOST }, (_, number) => ({
    name: `${number}${'汉'.repeat(feature_name.most)}`.slice(0, feature_name.most),
    description: '🌊'.repeat(feature_description.most),
    product_ids,
  }))
  const order = { app, features, dry_run: false }
  requireWritten(await replaceFeatures(service.world, actor, order))

  await seller.open(FEATURES)
  assert.doesNotMatch(seller.text, /Add feature/)
  const saved = await seller.submit('Save table', { 'features.99.name': 'The last' })
  assert.equal(saved.url, '/dashboard/apps/tidepool/listing/?done=features')
  const { features: kept } = await readListing(service.world.db, app)
  assert.deepEqual([kept.length, kept.at(-1)!.name], [MOST, 'The last'])

  await seller.open(FEATURES)
  const { status } = await seller.submit('Save table', { 'features.100.name': 'One more' })
  assert.equal(status, 422)
  assert.match(seller.text, /Use at most 100 items\. This list has 101\./)
})
