import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { describeProduct, readVersions, replaceFeatures, replaceVersions } from '#flows/listing'
import type { ChangeId } from '#platform/ids'
import { sql } from '#platform/sql'
import { type Agent, textOf } from '../support/agent.ts'
import { assertInvariantsAndClose } from '../support/invariants.ts'
import { asVersionInput, ownApp, requireWritten } from '../support/listing.ts'
import { addSellerWithApp, signedIn } from '../support/seller.ts'
import { openTestService, type TestService } from '../support/service.ts'

let service: TestService
let agent: Agent
const APP = '/dashboard/apps/tidepool/'
const PAGES = ['plans/', 'listing/', 'listing/sections/', 'listing/features/']
before(async () => {
  service = await openTestService()
  agent = await signedIn(service, service.demo.seller)
})
after(() => assertInvariantsAndClose(service))

const countOfChanges = async () =>
  (await service.world.db.one<{ count: number }>(sql`select count(*)::int from app_changes`)).count

describe('who may edit', () => {
  test('another seller can neither open nor submit a page of an app', async () => {
    const { email } = service.demo.operator
    await addSellerWithApp(service, { email, slug: 'lighthouse' })
    await service.world.db.run(sql`update sellers set terms_accepted_at = now()`)
    const other = await signedIn(service, service.demo.operator)
    await agent.open(`${APP}listing/`)
    await agent.submit('Save listing', { tagline: 'Mine', listing_mode: 'marketplace' })
    const { id } = await service.world.db.one<{ id: ChangeId }>(sql`select id from app_changes
      order by number desc limit 1`)
    const changes = await countOfChanges()
    for (const path of ['', ...PAGES, 'changes/', `changes/${id}/`]) {
      assert.equal((await other.open(`${APP}${path}`)).status, 404, path)
    }
    // A change of one app is not found under another.
    assert.equal((await other.open(`/dashboard/apps/lighthouse/changes/${id}/`)).status, 404)
    await other.open('/dashboard/apps/lighthouse/listing/')
    const form = other.form('Save listing')
    for (const path of [...PAGES, `changes/${id}/`]) {
      const answer = await service.app.inject({
        method: 'POST',
        url: `${APP}${path}`,
        headers: {
          cookie: other.cookie,
          accept: 'text/html',
          'content-type': 'application/x-www-form-urlencoded',
        },
        payload: new URLSearchParams({ ...form, do: 'undo' }).toString(),
      })
      assert.equal(answer.statusCode, 404, path)
    }
    assert.equal(await countOfChanges(), changes)
  })

  test('until the terms are accepted, every form redirects to them and saves nothing', async () => {
    await service.world.db.run(sql`update sellers set terms_accepted_at = null`)
    const before = await countOfChanges()
    const forms: [path: string, button: string][] = [
      ['plans/', 'Review changes'],
      ['listing/', 'Save listing'],
      ['listing/sections/', 'Save sections'],
      ['listing/features/', 'Save table'],
      ['integration/', 'Save'],
    ]
    for (const [path, button] of forms) {
      await agent.open(`${APP}${path}`)
      const { url } = await agent.submit(button, { tagline: 'Unsaved' })
      assert.equal(url, `/dashboard/terms/?return_to=${encodeURIComponent(`${APP}${path}`)}`)
    }
    await agent.open(`${APP}integration/`)
    const { url } = await agent.submit('Turn on', { to: 'on' })
    assert.equal(url, `/dashboard/terms/?return_to=${encodeURIComponent(`${APP}integration/`)}`)
    assert.equal(await countOfChanges(), before)
    assert.equal((await agent.submit('I accept these terms')).url, `${APP}integration/`)
  })

  // F26
  test('a new version of the terms must be accepted, and the accepted version is recorded', async () => {
    const { db } = service.world
    const accepted = () =>
      db.one<{ version: string }>(sql`select s.terms_version as version from sellers s
        join seller_members m on m.seller_id = s.id join users u on u.id = m.user_id
        where u.email_normalized = ${service.demo.seller.email}`)
    await db.run(sql`update sellers set terms_version = '0.9', terms_accepted_at = now()`)
    const before = await countOfChanges()
    await agent.open(`${APP}listing/`)
    assert.match(agent.text, /Read and accept the seller terms/)
    await agent.submit('Save listing', { tagline: 'Unsaved' })
    assert.match(agent.text, /The terms have changed You accepted version 0\.9 on/)
    assert.equal(await countOfChanges(), before)
    await agent.submit('I accept these terms')
    assert.deepEqual(await accepted(), { version: service.world.seller_terms_version })
    assert.deepEqual(
      await db.one(sql`select detail from audit_log where action = 'seller.terms_accepted'
        order by id desc limit 1`),
      { detail: { version: service.world.seller_terms_version } },
    )
    assert.doesNotMatch(
      textOf((await agent.open(`${APP}listing/`)).body),
      /accept the seller terms/,
    )
  })

  test('accepting the terms returns to the dashboard only, whatever the form says', async () => {
    for (const elsewhere of ['https://evil.example/', '//evil.example/', '/signout/', 'x']) {
      await service.world.db.run(sql`update sellers set terms_accepted_at = null`)
      await agent.open('/dashboard/terms/')
      await agent.submit('I accept these terms', { return_to: elsewhere })
      assert.equal(agent.page.url, '/dashboard/terms/')
      assert.match(agent.text, /You accepted these terms on/)
    }
  })
})

describe('the log of changes', () => {
  test('a page has twenty changes, newest first, with a link to older ones', async () => {
    for (let count = await countOfChanges(); count < 23; count++) {
      await agent.open(`${APP}listing/`)
      await agent.submit('Save listing', {
        tagline: `Tagline ${count}`,
        listing_mode: 'marketplace',
      })
    }
    const first = await agent.open(`${APP}changes/`)
    assert.equal(first.body.match(/<article/g)?.length, 20)
    const [, latest = '', next = ''] = first.body.split('<article')
    assert.match(textOf(`<a${latest}`), /Tagline 22/)
    assert.doesNotMatch(next, /Tagline 22/)
    const second = await agent.press('Older')
    assert.equal(second.body.match(/<article/g)?.length, 3)
    assert.doesNotMatch(textOf(second.body), /Older/)
    await agent.press('Latest')
    assert.equal(agent.page.url, `${APP}changes/`)
  })

  test('an undo that would change nothing is not offered', async () => {
    await agent.open(`${APP}listing/`)
    await agent.submit('Save listing', { tagline: 'One', listing_mode: 'marketplace' })
    await agent.open(`${APP}listing/`)
    await agent.submit('Save listing', { tagline: 'Two', listing_mode: 'marketplace' })
    await agent.open(`${APP}changes/`)
    await agent.press('Undo this change')
    await agent.submit('Undo this change')
    assert.match(agent.text, /Undone\./)
    const { id } = await service.world.db.one<{ id: string }>(sql`select reverts as id
      from app_changes order by number desc limit 1`)
    assert.match(textOf((await agent.open(`${APP}changes/${id}/`)).body), /Nothing to undo/)
  })

  test('text of a listing is escaped on every page that shows it', async () => {
    const hostile = '<img src=x onerror=alert(1)>'
    await agent.open(`${APP}listing/`)
    await agent.submit('Save listing', { tagline: hostile, listing_mode: 'marketplace' })
    for (const path of [`${APP}changes/`, `${APP}listing/`, '/apps/tidepool/', '/']) {
      const { body } = await agent.open(path)
      assert.ok(!body.includes('<img'), path)
    }
  })
})

describe('the preview of an undo', () => {
  const undoOf = async (change_id: ChangeId | null) =>
    textOf((await agent.open(`${APP}changes/${change_id}/`)).body)

  test('changes the description of a deleted plan, never that of the app', async () => {
    const { app, actor } = await ownApp(service)
    const order = { app, dry_run: false }
    const active = (await readVersions(service.world.db, app.id)).filter((each) => each.is_active)
    const kept = active.map(asVersionInput)
    const team = { name: 'Team', prices: [{ amount: '30.00', frequency: 'month' }] }
    const { state } = requireWritten(
      await replaceVersions(service.world, actor, { ...order, versions: [...kept, team] }),
    )
    const product_id = state.find(({ name }) => name === 'Team')!.product_public_id
    const facts = { ...order, product_id, description: 'For crews.' }
    const { change_id } = requireWritten(await describeProduct(service.world, actor, facts))
    requireWritten(await replaceVersions(service.world, actor, { ...order, versions: kept }))
    assert.match(
      await undoOf(change_id),
      /Review the changes Team, description Current For crews\. After undo None/,
    )
    await agent.submit('Undo this change')
    assert.equal(agent.page.status, 409)
    assert.match(agent.text, /This change cannot be undone Team is no longer for sale\./)
  })

  test('says once that plans of a feature table were deleted', async () => {
    const { app, actor } = await ownApp(service)
    const order = { app, dry_run: false }
    const active = (await readVersions(service.world.db, app.id)).filter((each) => each.is_active)
    const kept = active.map(asVersionInput)
    const team = { name: 'Crew', prices: [{ amount: '30.00', frequency: 'month' }] }
    const { state } = requireWritten(
      await replaceVersions(service.world, actor, { ...order, versions: [...kept, team] }),
    )
    const product_ids = [state.find(({ name }) => name === 'Crew')!.product_public_id]
    const features = ['Log', 'Map'].map((name) => ({ name, description: '', product_ids }))
    requireWritten(await replaceFeatures(service.world, actor, { ...order, features }))
    const cleared = await replaceFeatures(service.world, actor, { ...order, features: [] })
    requireWritten(await replaceVersions(service.world, actor, { ...order, versions: kept }))
    await undoOf(requireWritten(cleared).change_id)
    await agent.submit('Undo this change')
    assert.equal(agent.page.status, 409)
    assert.equal(agent.text.split('Crew is no longer for sale.').length - 1, 1)
  })

  test('changes only prices if a plan has a new description since', async () => {
    const { app, actor } = await ownApp(service)
    const order = { app, dry_run: false }
    const active = (await readVersions(service.world.db, app.id)).filter((each) => each.is_active)
    const dearer = active.map(asVersionInput)
    dearer[1]!.prices[0]!.amount = '13.00'
    const { change_id } = requireWritten(
      await replaceVersions(service.world, actor, { ...order, versions: dearer }),
    )
    const product_id = active[1]!.product_public_id
    const facts = { ...order, product_id, description: 'Written since.' }
    requireWritten(await describeProduct(service.world, actor, facts))
    const pageText = await undoOf(change_id)
    assert.match(pageText, /Pro, monthly price Current \$13\.00 After undo \$12\.00/)
    assert.doesNotMatch(pageText, /Written since/)
    await agent.submit('Undo this change')
    const [, pro] = await readVersions(service.world.db, app.id)
    assert.deepEqual([pro?.description, pro?.prices[0]?.amount], ['Written since.', '12.00'])
  })
})
