import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import * as apps from '#domain/apps'
import { followLive } from '#flows/test-mode'
import { type Agent, textOf } from '../support/agent.ts'
import { png } from '../support/pictures.ts'
import { signedIn } from '../support/seller.ts'
import type { TestService } from '../support/service.ts'
import { type BothModes, enterTestMode, openBothModes } from '../support/test-mode.ts'

// Guards point 10 of issue 11 and decision 105: icons and screenshots of live mode, in test mode.

const PAGE = '/dashboard/apps/tidepool/listing/images/'
let modes: BothModes
let live: TestService
let there: TestService
let agent: Agent
before(async () => {
  modes = await openBothModes()
  live = modes.live
  there = modes.test
  agent = await signedIn(live, live.demo.seller)
})
after(() => modes.close())

const follow = () => followLive(there.world, there.world.live!)
const shownIn = ({ world }: TestService) => apps.screenshotsOf(world.db, live.demo.app.client_id)

async function upload(button: 'Save icon' | 'Add screenshot', file: Buffer, alt?: string) {
  await agent.open(PAGE)
  const page = await agent.upload(button, file, alt === undefined ? undefined : { alt })
  assert.equal(page.status, 200)
}

/** The image files of the product page in test mode, with what they are described as. */
async function assertSameFiles(): Promise<void> {
  const paths = async (service: TestService) => {
    const { body } = await service.app.inject({ url: '/apps/tidepool/' })
    return [...new Set(body.match(/\/images\/img_\w+-\d+\.webp/g))]
  }
  const own = await paths(live)
  assert.deepEqual(await paths(there), own)
  for (const url of own) {
    const [file, copy] = await Promise.all([live, there].map(({ app }) => app.inject({ url })))
    assert.equal(copy!.statusCode, 200)
    assert.deepEqual(copy!.rawPayload, file!.rawPayload)
  }
}

test('an app starts in test mode with its icon and screenshots', async () => {
  await upload('Save icon', await png(512, 512))
  await upload('Add screenshot', await png(1200, 900), 'The list of dives')
  await upload('Add screenshot', await png(640, 480, '#333333'), 'One dive')
  await agent.open('/dashboard/')
  const tab = await enterTestMode(modes, agent)
  assert.match(tab.page.body, /\/images\/img_\w+-256\.webp/)
  const shown = await shownIn(there)
  assert.deepEqual(shown, await shownIn(live))
  assert.deepEqual(
    shown.map(({ alt }) => alt),
    ['The list of dives', 'One dive'],
  )
  await assertSameFiles()
})

test('a replaced icon, and moved, described and removed screenshots, follow', async () => {
  const [first] = await shownIn(live)
  await upload('Save icon', await png(300, 300, '#aa3333'))
  await upload('Add screenshot', await png(500, 400, '#3333aa'), 'The map')
  await agent.open(PAGE)
  await agent.submit('Move screenshot 2 up')
  await agent.open(PAGE)
  await agent.submit(/^Remove screenshot 2$/)
  await follow()
  const shown = await shownIn(there)
  assert.deepEqual(shown, await shownIn(live))
  assert.ok(shown.every(({ id }) => id !== first!.id))
  await assertSameFiles()
  await agent.open(PAGE)
  await agent.submit('Remove icon')
  await follow()
  assert.equal((await apps.get(there.world.db, live.demo.app.client_id)).icon_id, null)
})

test('files that cannot be read do not keep a member out, and are copied later', async () => {
  const before = await shownIn(there)
  await upload('Add screenshot', await png(700, 500, '#117711'), 'The log')
  const { live: mode } = there.world
  const broken = { ...mode!, file: () => Promise.reject(new Error('the storage responded 500')) }
  await followLive(there.world, broken)
  assert.deepEqual(await shownIn(there), before)
  await follow()
  assert.deepEqual(await shownIn(there), await shownIn(live))
  await assertSameFiles()
})

test('images are edited in live mode', async () => {
  await agent.open('/dashboard/')
  const tab = await enterTestMode(modes, agent)
  const page = await tab.open(PAGE)
  assert.match(textOf(page.body), /Change this in live mode/)
  assert.ok(page.body.includes(`href="${live.world.config.base_url}${PAGE}"`))
  assert.throws(() => tab.form('Add screenshot'))
})
