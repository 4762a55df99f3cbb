import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import sharp from 'sharp'
import * as apps from '#domain/apps'
import { uploadImage } from '#flows/app'
import { mintId } from '#platform/ids'
import { PICTURE_LIMITS } from '#platform/pictures'
import { sql } from '#platform/sql'
import { type Agent, textOf } from '../support/agent.ts'
import { type AppImages, IMAGES_PAGE, imagesOf } from '../support/app-images.ts'
import { addApp } from '../support/apps.ts'
import { assertInvariantsAndClose } from '../support/invariants.ts'
import { png } from '../support/pictures.ts'
import { buyer, purchase } from '../support/purchase.ts'
import { signedIn } from '../support/seller.ts'
import { openTestService, type TestService } from '../support/service.ts'

// Guards points 3 and 11 of issue 11, and threat 60.

let service: TestService
let agent: Agent
let images: AppImages

before(async () => {
  service = await openTestService()
  agent = await signedIn(service, service.demo.seller)
  images = imagesOf(service, agent)
})
after(() => assertInvariantsAndClose(service))

const positions = async () => {
  const rows = await service.world.db.rows<{ position: number }>(sql`select position
    from app_images where app_id = ${images.app_id} and kind = 'screenshot' and removed_at is null`)
  return rows.map(({ position }) => position)
}
const pathsIn = (body: string) => [...body.matchAll(/\/images\/img_\w+-\d+\.webp/g)].map(String)

describe('an icon', () => {
  test('is shown wherever the app is named, in place of its initial', async () => {
    const before = await buyer(service).open('/apps/tidepool/')
    assert.deepEqual(pathsIn(before.body), [])
    const path = await images.addIcon()
    const visitor = buyer(service)
    const product = await visitor.open('/apps/tidepool/')
    assert.ok(product.body.includes(`src="${path}"`))
    const whole = new URL(path, service.world.config.base_url).href
    assert.ok(product.body.includes(`<meta property="og:image" content="${whole}"`))
    assert.ok(product.body.includes(`"image":"${whole}"`))
    assert.ok((await visitor.open('/')).body.includes(`src="${path}"`))
    const checkout = await visitor.open(service.demo.app.prices[0]!.buy_url)
    assert.ok(checkout.body.includes(`src="${path}"`))
    assert.ok((await agent.open('/dashboard/')).body.includes(`src="${path}"`))
    const owner = buyer(service)
    await owner.open(service.demo.app.prices[0]!.buy_url)
    const email = 'sees-icon@example.com'
    const card = await owner.submit('Continue', { email, country: 'US', zip: '78701' })
    assert.ok(card.body.includes(`src="${path}"`))
    await purchase(service, owner, { email })
    assert.ok((await owner.open('/account/')).body.includes(`src="${path}"`))
    await owner.open(`/manage/${service.demo.app.client_id}/`)
    assert.ok((await owner.submit('Update card')).body.includes(`src="${path}"`))
  })

  test('is served from an address that caches keep and that runs nothing', async () => {
    const path = await images.addIcon()
    const { statusCode, headers, rawPayload } = await images.fetchFile(path)
    assert.equal(statusCode, 200)
    assert.equal(headers['content-type'], 'image/webp')
    assert.equal(headers['cache-control'], 'public, max-age=31536000, immutable')
    assert.equal(headers['x-content-type-options'], 'nosniff')
    const policy = String(headers['content-security-policy'])
    assert.match(policy, /default-src 'none'/)
    assert.match(policy, /(^|; )sandbox($|;)/)
    assert.equal(headers['set-cookie'], undefined)
    const { format, width, height } = await sharp(rawPayload).metadata()
    assert.deepEqual([format, width, height], ['webp', 256, 256])
  })

  test('gets a new address when it is replaced, and the old one returns 404', async () => {
    const former = await images.addIcon()
    const present = await images.addIcon(await png(300, 300, '#aa0000'))
    assert.notEqual(former, present)
    assert.equal((await images.fetchFile(former)).statusCode, 404)
    assert.equal((await images.fetchFile(present)).statusCode, 200)
    await agent.open(IMAGES_PAGE)
    assert.match(textOf((await agent.submit('Remove icon')).body), /Icon removed\./)
    assert.equal((await images.fetchFile(present)).statusCode, 404)
    assert.deepEqual(pathsIn((await buyer(service).open('/apps/tidepool/')).body), [])
  })

  test('must be square, large enough and a picture', async () => {
    const wrong: [Buffer, RegExp][] = [
      [await png(400, 300), /Use a square image. This one is 400 × 300 pixels/],
      [await png(128, 128), /Use at least 256 × 256 pixels. This one is 128 × 128 pixels/],
      [Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>'), /Use a PNG, JPEG or WebP image/],
      [Buffer.alloc(0), /Choose a file/],
      [Buffer.alloc(PICTURE_LIMITS.bytes + 1), /Use a file of at most 5 MB/],
    ]
    const { icon_id } = await apps.get(service.world.db, images.app_id)
    for (const [content, message] of wrong) {
      await agent.open(IMAGES_PAGE)
      const page = await agent.upload('Save icon', content)
      assert.equal(page.status, 422)
      assert.match(textOf(page.body), message)
    }
    assert.equal((await apps.get(service.world.db, images.app_id)).icon_id, icon_id)
  })
})

describe('screenshots', () => {
  test('are added with a description, moved, described again and removed', async () => {
    await images.addScreenshot('Tides of a week', await png(1700, 1000))
    await images.addScreenshot('  Map of \n beaches ', await png(640, 400))
    assert.deepEqual(
      (await images.shown()).map(({ alt, width, height }) => [alt, width, height]),
      [
        ['Tides of a week', 1600, 941],
        ['Map of beaches', 640, 400],
      ],
    )
    await agent.open(IMAGES_PAGE)
    assert.match(textOf((await agent.submit(/^Move screenshot 2 up$/)).body), /Screenshot moved\./)
    assert.deepEqual(
      (await images.shown()).map(({ alt }) => alt),
      ['Map of beaches', 'Tides of a week'],
    )
    const described = await agent.submit('Save', { alt: 'Map of all beaches' })
    assert.match(textOf(described.body), /Description saved\./)
    const [first] = await images.shown()
    assert.equal(first!.alt, 'Map of all beaches')
    const empty = await agent.submit('Save', { alt: ' ' })
    assert.equal(empty.status, 422)
    assert.match(textOf(empty.body), /Describe what the screenshot shows/)
    await agent.open(IMAGES_PAGE)
    const removed = await agent.submit(/^Remove screenshot 1$/)
    assert.match(textOf(removed.body), /Screenshot removed\./)
    assert.deepEqual(
      (await images.shown()).map(({ alt }) => alt),
      ['Tides of a week'],
    )
    assert.equal((await images.fetchFile(apps.pathOf(first!.id, 640))).statusCode, 404)
    const { db } = service.world
    const audited = await db.rows<{ action: string }>(sql`select action from audit_log
      where subject = ${images.app_id} and action like 'app.screenshot%' order by id`)
    assert.deepEqual(
      audited.map(({ action }) => action),
      [
        'app.screenshot_added',
        'app.screenshot_added',
        'app.screenshots_arranged',
        'app.screenshot_described',
        'app.screenshot_removed',
      ],
    )
  })

  test('are added at the end, even after another was removed', async () => {
    await images.removeAll()
    const names = ['First', 'Second', 'Third', 'Fourth', 'Fifth']
    for (const name of names.slice(0, 3)) await images.addScreenshot(name)
    for (const name of names.slice(3)) {
      await agent.open(IMAGES_PAGE)
      await agent.submit(/^Remove screenshot 1$/)
      await images.addScreenshot(name)
      assert.equal((await images.shown()).at(-1)!.alt, name)
      // Images of one position are ordered by their random IDs, so the order alone proves little.
      const found = await positions()
      assert.equal(new Set(found).size, found.length)
    }
    await images.removeAll()
  })

  test('are on the product page with their size, lazily, in two widths for phones', async () => {
    await images.removeAll()
    await images.addScreenshot('A "week" of tides', await png(1700, 1000))
    const [image] = await images.shown()
    const { body } = await buyer(service).open('/apps/tidepool/')
    const [tag = ''] = /<img[^>]*srcset[^>]*>/.exec(body) ?? []
    const small = apps.pathOf(image!.id, 800)
    const whole = apps.pathOf(image!.id, 1600)
    assert.ok(tag.includes(`srcset="${small} 800w, ${whole} 1600w"`))
    for (const part of ['width="1600"', 'height="941"', 'loading="lazy"', 'sizes="']) {
      assert.ok(tag.includes(part), part)
    }
    assert.ok(tag.includes('alt="A &quot;week&quot; of tides"'))
    const address = new URL(whole, service.world.config.base_url).href
    assert.ok(body.includes(`"screenshot":["${address}"]`))
    assert.ok(body.includes(`<meta property="og:image" content="${address}"`))
    for (const [path, expected] of [
      [small, 800],
      [whole, 1600],
    ] as const) {
      const { width } = await sharp((await images.fetchFile(path)).rawPayload).metadata()
      assert.equal(width, expected)
    }
    assert.equal((await images.fetchFile(apps.pathOf(image!.id, 700))).statusCode, 404)
  })

  test('have errors in the order of the fields of the form', async () => {
    const page = await images.addScreenshot('', Buffer.alloc(0))
    assert.match(textOf(page.body), /fields Choose a file\. Describe what the screenshot shows/)
  })

  test('need a description, which a refused form keeps', async () => {
    const page = await images.addScreenshot('', await png(640, 400))
    assert.equal(page.status, 422)
    assert.match(textOf(page.body), /Choose the file again\. Describe what the screenshot shows/)
    const turned = await images.addScreenshot('Tides\u202e', await png(640, 400))
    assert.equal(turned.status, 422)
    assert.match(textOf(turned.body), /Must not contain control characters/)
    const small = await images.addScreenshot('A small one', await png(300, 100))
    assert.equal(small.status, 422)
    assert.match(textOf(small.body), /Use at least 320 × 200 pixels/)
    assert.doesNotMatch(textOf(small.body), /Choose the file again/)
    assert.ok(small.body.includes('value="A small one"'))
  })

  test('are at most six', async () => {
    await images.removeAll()
    const given = { app_id: images.app_id, kind: 'screenshot', alt: 'One of six' } as const
    const content = await png(320, 200)
    const uploads = Array.from({ length: 8 }, async () =>
      uploadImage(service.world, await images.actor(), { ...given, content }),
    )
    const refused = (await Promise.all(uploads)).filter((each) => 'faults' in each)
    assert.deepEqual([refused.length, (await images.shown()).length], [2, 6])
    assert.ok(!(await agent.open(IMAGES_PAGE)).body.includes('Add a screenshot'))
    await images.removeAll()
  })

  test('of another app cannot be changed through this one', async () => {
    const { db, clock, random } = service.world
    const other = await addApp(service, { slug: 'harbor' })
    const id = mintId(random, 'img')
    const size = { kind: 'screenshot', alt: 'Berths', width: 640, height: 400 } as const
    await apps.addImage(db, clock.now(), { id, app_id: other.client_id, ...size })
    await apps.showImage(db, id)
    await images.addScreenshot('Tides', await png(640, 400))
    await agent.open(IMAGES_PAGE)
    assert.equal((await agent.submit('Save', { image_id: id, alt: 'Mine' })).status, 404)
    assert.equal((await apps.findImage(db, id))?.alt, 'Berths')
  })
})

describe('an upload', () => {
  test('of a form of another site is refused', async () => {
    await agent.open(IMAGES_PAGE)
    const content = await png(512, 512)
    const { status } = await agent.twin().upload('Save icon', content, { csrf_token: 'guessed' })
    assert.equal(status, 403)
  })

  test('of a person who may not send it is refused before its file is read', async () => {
    const other = await signedIn(service, service.demo.buyer)
    const forms = [
      `${IMAGES_PAGE}icon`,
      `${IMAGES_PAGE}add`,
      IMAGES_PAGE.replace('listing/images/', 'import/'),
    ]
    for (const url of forms) {
      for (const [cookie, status] of [
        ['', 303],
        [other.cookie, 404],
      ] as const) {
        const answer = await service.app.inject({
          method: 'POST',
          url,
          headers: {
            cookie,
            accept: 'text/html',
            'content-type': 'multipart/form-data; boundary=x',
          },
          // Who reads it answers 400.
          payload: Buffer.from('no part'),
        })
        assert.equal(answer.statusCode, status, url)
      }
    }
  })

  test('that is too large or no form is refused without an error of the service', async () => {
    const post = (payload: Buffer, type = 'multipart/form-data; boundary=x') =>
      service.app.inject({
        method: 'POST',
        url: `${IMAGES_PAGE}icon`,
        headers: { cookie: agent.cookie, accept: 'text/html', 'content-type': type },
        payload,
      })
    const huge = await post(Buffer.alloc(4 * PICTURE_LIMITS.bytes + 1))
    assert.equal(huge.statusCode, 413)
    assert.match(textOf(huge.body), /at most 5 MB/)
    const part = (head: string) => Buffer.from(`--x\r\n${head}\r\n\r\n1\r\n--x--\r\n`)
    const broken = [
      Buffer.from('no part'),
      part('Content-Disposition: form-data; name="a').subarray(0, 20),
      part('Content-Disposition: form-data; name="__proto__"'),
      part('Content-Disposition: form-data; name="csrf_token"'),
      Buffer.from('--x\r\nContent-Disposition: form-data; name="alt"\r\n\r\n\0\r\n--x--\r\n'),
    ]
    for (const payload of broken) {
      const { statusCode } = await post(payload)
      assert.ok([400, 403].includes(statusCode), `${statusCode}: ${payload}`)
    }
    assert.ok([400, 403].includes((await post(part('a: b'), 'multipart/form-data')).statusCode))
  })
})
