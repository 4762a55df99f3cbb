import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import {
  readListing,
  readVersions,
  replaceFeatures,
  replaceSections,
  updateListing,
} from '#flows/listing'
import { sql } from '#platform/sql'
import { fieldsOfPlans, formOfVersions } from '../../src/surfaces/dashboard/plans-form.ts'
import { type Agent, textOf } from '../support/agent.ts'
import { ownApp, requireWritten } from '../support/listing.ts'
import { signedIn } from '../support/seller.ts'
import { openTestService, type TestService } from '../support/service.ts'

// Forms of the dashboard that are sent after another member or an agent changed what they show

let service: TestService
let agent: Agent
const APP = '/dashboard/apps/tidepool/'
before(async () => {
  service = await openTestService()
  agent = await signedIn(service, service.demo.seller)
})
after(() => service.close())

test('saves only the texts of a listing that the form changed', async () => {
  const { app, actor } = await ownApp(service)
  const form = await agent.openTab(`${APP}listing/`)
  const changes = { description: 'Written by an agent.', tags: ['walks'] }
  requireWritten(await updateListing(service.world, actor, { app, changes, dry_run: false }))
  // A browser also sends the text field, as it was opened.
  const { opened_description: description_then = '' } = form.form('Save listing')
  const texts = { tagline: 'Tides for walkers', description: description_then }
  await form.submit('Save listing', texts)
  const { app: now } = await ownApp(service)
  const { tagline, description, tags } = await readListing(service.world.db, now)
  assert.deepEqual({ tagline, description, tags }, { tagline: 'Tides for walkers', ...changes })
})

test('saves only the details of an app that the form changed', async () => {
  const form = await agent.openTab(`${APP}settings/`)
  const other = await agent.openTab(`${APP}settings/`)
  await other.submit('Save', { url: 'https://moved.example' })
  await form.submit('Save', { name: 'Tidepool Pro' })
  const { name, url } = await service.world.db.one<{ name: string; url: string }>(
    sql`select name, url from apps where slug = 'tidepool'`,
  )
  assert.deepEqual({ name, url }, { name: 'Tidepool Pro', url: 'https://moved.example' })
})

test('asks before it replaces detail sections that were saved since the form was opened', async () => {
  const { app, actor } = await ownApp(service)
  const titles = async () =>
    (await readListing(service.world.db, app)).sections.map(({ title }) => title)
  const form = await agent.openTab(`${APP}listing/sections/`)
  const sections = [{ title: 'By an agent', body: 'New.' }]
  requireWritten(await replaceSections(service.world, actor, { app, sections, dry_run: false }))
  const mine = { 'sections.0.title': 'By a member', 'sections.0.body': 'Mine.' }
  const rows = Object.keys(form.form('Save sections')).filter((name) => name.endsWith('.title'))
  for (const _row of rows.slice(1)) await form.submit('Save sections', { do: 'remove:sections.1' })
  const asked = await form.submit('Save sections', mine)
  assert.equal(asked.status, 409)
  assert.match(textOf(asked.body), /By an agent/)
  assert.deepEqual(await titles(), ['By an agent'])
  const { 'sections.0.title': kept } = form.form('Save sections')
  assert.equal(kept, 'By a member')
  await form.submit('Save sections', mine)
  assert.deepEqual(await titles(), ['By a member'])
})

test('asks before it replaces a feature table that was saved since the form was opened', async () => {
  const { app, actor } = await ownApp(service)
  const names = async () =>
    (await readListing(service.world.db, app)).features.map(({ name }) => name)
  const form = await agent.openTab(`${APP}listing/features/`)
  const sent_twice = form.tab()
  const features = [{ name: 'By an agent', description: '', product_ids: [] }]
  requireWritten(await replaceFeatures(service.world, actor, { app, features, dry_run: false }))
  const asked = await form.submit('Save table', { 'features.0.name': 'By a member' })
  assert.equal(asked.status, 409)
  assert.match(textOf(asked.body), /By an agent/)
  assert.deepEqual(await names(), ['By an agent'])
  await form.submit('Save table')
  assert.ok((await names()).includes('By a member'))
  const again = await sent_twice.submit('Save table', { 'features.0.name': 'By a member' })
  assert.match(again.url, /done=features/)
})

test('saves only the details of a seller that the form changed', async () => {
  const form = await agent.openTab('/dashboard/seller/')
  const other = await agent.openTab('/dashboard/seller/')
  await other.submit('Save', { legal_name: 'Tidepool Labs LLC' })
  const saved = await form.submit('Save', { address: '9 Harbor Road' })
  assert.match(saved.url, /done=saved/)
  const now = form.form('Save')
  assert.deepEqual([now.legal_name, now.address], ['Tidepool Labs LLC', '9 Harbor Road'])
})

test('shows an undo again if what it would change is no longer what was shown', async () => {
  const { app, actor } = await ownApp(service)
  const tagline = async () => (await ownApp(service)).app.tagline
  const save = async (text: string) => {
    const changes = { tagline: text }
    requireWritten(await updateListing(service.world, actor, { app, changes, dry_run: false }))
  }
  await save('First')
  await save('Second')
  const tab = await agent.openTab(`${APP}changes/`)
  await tab.press('Undo this change')
  await save('Third')
  const shown = await tab.submit('Undo this change')
  assert.equal(shown.status, 409)
  assert.match(textOf(shown.body), /Third/)
  assert.equal(await tagline(), 'Third')
  const done = await tab.submit('Undo this change')
  assert.match(done.url, /done=undone/)
  assert.equal(await tagline(), 'First')
})

test('reviews the plans of an unpublished app that are no longer those that were opened', async () => {
  const { db } = service.world
  await db.run(sql`update apps set is_published = false where slug = 'tidepool'`)
  const { app } = await ownApp(service)
  const namesNow = async () => (await readVersions(db, app.id)).map(({ name }) => name)
  const rows = formOfVersions(await readVersions(db, app.id))
  const renamed = (index: number, name: string) =>
    Object.fromEntries(
      fieldsOfPlans(rows.map((row, at) => (at === index ? { ...row, name } : row))),
    )
  const form = await agent.openTab(`${APP}plans/`)
  const other = await agent.openTab(`${APP}plans/`)
  await other.submit('Save', renamed(0, 'Harbor'))
  assert.ok((await namesNow()).includes('Harbor'))
  const review = await form.submit('Save', renamed(1, 'Lantern'))
  assert.match(textOf(review.body), /Harbor/)
  assert.ok((await namesNow()).includes('Harbor'))
  await form.submit('Save plans')
  assert.ok(!(await namesNow()).includes('Harbor'))
})
