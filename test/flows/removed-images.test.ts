import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import * as apps from '#domain/apps'
import { uploadImage } from '#flows/app'
import { applyRetention } from '#flows/retention'
import { addDays } from '#platform/calendar'
import { mintId } from '#platform/ids'
import { sql } from '#platform/sql'
import { type Agent, textOf } from '../support/agent.ts'
import { type AppImages, IMAGES_PAGE, imagesOf } from '../support/app-images.ts'
import { assertInvariantsAndClose } from '../support/invariants.ts'
import { png } from '../support/pictures.ts'
import { signedIn } from '../support/seller.ts'
import { openTestService, type TestService } from '../support/service.ts'
import { DAY } from '../support/subscriber.ts'

let service: TestService
let agent: Agent
let images: AppImages

before(async () => {
  service = await openTestService()
  agent = await signedIn(service, service.demo.seller)
  images = imagesOf(service, agent)
})
after(() => assertInvariantsAndClose(service))

describe('a removed image', () => {
  const restore = async (id: string) => {
    await agent.open(IMAGES_PAGE)
    const csrf_token = agent.form('Save icon').csrf_token!
    return await service.app.inject({
      method: 'POST',
      url: `${IMAGES_PAGE}restore`,
      headers: {
        cookie: agent.cookie,
        accept: 'text/html',
        'content-type': 'application/x-www-form-urlencoded',
      },
      payload: new URLSearchParams({ csrf_token, image_id: id }).toString(),
    })
  }

  test('is listed, and restored with its description and its address', async () => {
    await images.removeAll()
    await images.addScreenshot('Kept')
    await images.addScreenshot('Removed by mistake')
    const image = (await images.shown()).at(-1)!
    await agent.open(IMAGES_PAGE)
    service.clock.pass(1)
    const removed = await agent.submit(/^Remove screenshot 2$/)
    assert.match(textOf(removed.body), /You can restore it below\./)
    assert.match(textOf(removed.body), /Removed images .* Removed by mistake Screenshot Removed/)
    const [width] = apps.widthsOf(image)
    const path = apps.pathOf(image.id, width!)
    const thumbnail = `${IMAGES_PAGE}removed/${image.id}`
    assert.ok(removed.body.includes(`src="${thumbnail}"`))
    const { statusCode, headers } = await service.app.inject({
      url: thumbnail,
      headers: { cookie: agent.cookie },
    })
    assert.deepEqual([statusCode, headers['content-type']], [200, 'image/webp'])
    assert.equal(headers['cache-control'], 'no-store')
    assert.equal((await images.fetchFile(path)).statusCode, 404)
    assert.notEqual((await images.fetchFile(thumbnail)).statusCode, 200)
    const restored = await agent.submit('Restore')
    assert.match(textOf(restored.body), /Image restored\./)
    assert.deepEqual(
      (await images.shown()).map(({ alt }) => alt),
      ['Kept', 'Removed by mistake'],
    )
    assert.equal((await images.fetchFile(path)).statusCode, 200)
    assert.equal((await agent.open(thumbnail)).status, 404)
    assert.equal((await restore(image.id)).statusCode, 404)
    await images.removeAll()
  })

  test('is an icon that was replaced, too', async () => {
    const former = await images.addIcon()
    service.clock.pass(1)
    const present = await images.addIcon(await png(300, 300, '#aa0000'))
    await agent.open(IMAGES_PAGE)
    service.clock.pass(1)
    await agent.submit('Restore')
    assert.equal((await images.fetchFile(former)).statusCode, 200)
    assert.equal((await images.fetchFile(present)).statusCode, 404)
    service.clock.pass(1)
    await agent.submit('Remove icon')
    await agent.submit('Restore')
    assert.equal((await images.fetchFile(former)).statusCode, 200)
  })

  test('is not restored beyond the most screenshots, after 30 days, or by the next seller', async () => {
    await images.removeAll()
    await images.addScreenshot('First')
    const [first] = await images.shown()
    await images.removeAll()
    for (let at = 0; at < apps.MAX_SCREENSHOTS; at++) await images.addScreenshot(`Other ${at}`)
    const full = await restore(first!.id)
    assert.equal(full.statusCode, 422)
    assert.match(textOf(full.body), /at most 6 screenshots/)
    await images.removeAll()
    const { db } = service.world
    const late = addDays(service.clock.now(), -30)
    await db.run(sql`update app_images set removed_at = ${late} where id = ${first!.id}`)
    assert.equal((await restore(first!.id)).statusCode, 404)
    const now = service.clock.now()
    await db.run(sql`update app_images set removed_at = ${now} where id = ${first!.id}`)
    await apps.forgetRemovedImages(db, images.app_id)
    assert.equal((await restore(first!.id)).statusCode, 404)
    assert.doesNotMatch((await agent.open(IMAGES_PAGE)).body, /Removed images/)
  })

  test('whose upload was interrupted is not listed', async () => {
    const { db, clock, random } = service.world
    const size = { kind: 'screenshot', alt: 'Cut off', width: 640, height: 400 } as const
    await apps.addImage(db, clock.now(), {
      ...size,
      id: mintId(random, 'img'),
      app_id: images.app_id,
    })
    assert.doesNotMatch((await agent.open(IMAGES_PAGE)).body, /Cut off/)
  })
})

// Threat 47
test('an app keeps at most 24 removed images, the latest ones', async () => {
  const { db } = service.world
  await db.run(sql`update apps set icon_id = null`)
  await db.run(sql`delete from app_images`)
  await db.run(sql`delete from stored_files`)
  const icon = await png(256, 256)
  for (let at = 0; at < 30; at++) {
    service.clock.pass(1)
    const given = { app_id: images.app_id, kind: 'icon', alt: '', content: icon } as const
    assert.ok('id' in (await uploadImage(service.world, await images.actor(), given)))
  }
  const stored = await db.one<Record<string, number>>(sql`select
    (select count(*) from app_images) as images, (select count(*) from stored_files) as files,
    (select extract(epoch from max(created_at) - min(created_at))::int from app_images) as oldest`)
  assert.deepEqual(stored, { images: 25, files: 25, oldest: 24 })
})

test('files of removed images and of uploads that were cut off are deleted after 30 days', async () => {
  const { db, clock, random, storage } = service.world
  await images.removeAll()
  const kept = await images.addIcon()
  const files = () => db.rows<{ key: string }>(sql`select key from stored_files`)
  const cut_off = mintId(random, 'img')
  const size = { kind: 'icon', alt: '', width: 256, height: 256 } as const
  await apps.addImage(db, clock.now(), { id: cut_off, app_id: images.app_id, ...size })
  await storage.put(clock.now(), apps.fileOf(cut_off, 256), {
    content: Buffer.from('cut off'),
    type: 'image/webp',
  })
  assert.equal((await images.fetchFile(apps.pathOf(cut_off, 256))).statusCode, 404)
  service.clock.pass(29 * DAY)
  await applyRetention(service.world)
  assert.ok((await files()).some(({ key }) => key === apps.fileOf(cut_off, 256)))
  service.clock.pass(2 * DAY)
  await applyRetention(service.world)
  assert.deepEqual(
    (await files()).map(({ key }) => `/images/${key}`),
    [kept],
  )
  const { count } = await db.one<{ count: number }>(
    sql`select count(*)::int as count from app_images where app_id = ${images.app_id}`,
  )
  assert.equal(count, 1)
})
