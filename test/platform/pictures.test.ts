import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import sharp from 'sharp'
import { openPictures, PICTURE_LIMITS, type Picture } from '#platform/pictures'
import { Problem } from '#platform/problem'
import { picture, png } from '../support/pictures.ts'

// Threat 60
const pictures = openPictures()
const BOX = { width: 100, height: 100 }

async function encoded(content: Buffer): Promise<Picture> {
  const made = await pictures.encode(content, BOX)
  assert.ok(typeof made !== 'string', `refused: ${made}`)
  return made
}

describe('an uploaded picture', () => {
  test('is re-encoded from its pixels, so nothing that was added to the file remains', async () => {
    const page = '<script>alert(1)</script>'
    const comment = { IFD0: { ImageDescription: page, Copyright: 'secret place' } }
    const files = [
      await picture(300, 200).withExif(comment).png().toBuffer(),
      await picture(300, 200).withExif(comment).jpeg().toBuffer(),
      await picture(300, 200).withExif(comment).webp().toBuffer(),
    ].map((file) => Buffer.concat([file, Buffer.from(`PK\x03\x04${page}`)]))
    for (const file of files) {
      assert.ok(file.includes(page))
      const { content, width, height } = await encoded(file)
      assert.deepEqual([width, height], [100, 67])
      assert.ok(!content.includes('script') && !content.includes('secret place'))
      const { format, exif, xmp, icc } = await sharp(content).metadata()
      assert.deepEqual([format, exif, xmp, icc], ['webp', undefined, undefined, undefined])
    }
  })

  test('is turned as its metadata says', async () => {
    const file = await picture(40, 20).withMetadata({ orientation: 6 }).jpeg().toBuffer()
    assert.deepEqual(await pictures.measure(file), { width: 20, height: 40 })
    const { width, height } = await encoded(file)
    assert.deepEqual([width, height], [20, 40])
  })

  test('loses its animation: the first frame is kept', async () => {
    const frames = [await png(64, 64, '#aa0000'), await png(64, 64, '#00aa00')]
    const file = await sharp(frames, { join: { animated: true } })
      .webp()
      .toBuffer()
    const { content } = await encoded(file)
    const { pages, height } = await sharp(content).metadata()
    assert.deepEqual([pages ?? 1, height], [1, 64])
    const { dominant } = await sharp(content).stats()
    assert.ok(dominant.r > dominant.g)
  })

  test('is never enlarged', async () => {
    assert.equal((await encoded(await png(64, 48))).width, 64)
  })
})

describe('refused are', () => {
  const SVG = '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><script/></svg>'

  test('files of every other type, whatever they are named', async () => {
    const others = {
      svg: Buffer.from(SVG),
      'svg with a declaration': Buffer.from(`<?xml version="1.0"?>${SVG}`),
      html: Buffer.from('<!doctype html><script>alert(1)</script>'),
      pdf: Buffer.from('%PDF-1.7\n1 0 obj<<>>endobj\ntrailer<<>>'),
      gif: await picture(64, 64).gif().toBuffer(),
      tiff: await picture(64, 64).tiff().toBuffer(),
      avif: await picture(64, 64).avif().toBuffer(),
      'one byte': Buffer.from([0x89]),
    }
    for (const [name, file] of Object.entries(others)) {
      assert.equal(await pictures.measure(file), 'not_a_picture', name)
      assert.equal(await pictures.encode(file, BOX), 'not_a_picture', name)
    }
  })

  test('a file that ends early or is damaged', async () => {
    const file = await picture(300, 300).jpeg().toBuffer()
    const noise = await sharp({
      create: {
        width: 200,
        height: 200,
        channels: 3,
        background: '#888888',
        noise: { type: 'gaussian', mean: 128, sigma: 30 },
      },
    })
      .png()
      .toBuffer()
    assert.equal(await pictures.encode(file.subarray(0, 300), BOX), 'not_a_picture')
    assert.equal(await pictures.encode(noise.subarray(0, noise.length / 2), BOX), 'not_a_picture')
  })

  test('a small file with very many pixels, before it is decoded', async () => {
    const bomb = await sharp({
      create: { width: 8000, height: 8000, channels: 3, background: '#000000' },
    })
      .png({ compressionLevel: 9 })
      .toBuffer()
    assert.ok(bomb.length < PICTURE_LIMITS.bytes / 10)
    assert.equal(await pictures.measure(bomb), 'too_many_pixels')
    assert.equal(await pictures.encode(bomb, BOX), 'too_many_pixels')
  })

  test('a file with too many bytes', async () => {
    const file = Buffer.concat([await png(64, 64), Buffer.alloc(PICTURE_LIMITS.bytes)])
    assert.equal(await pictures.measure(file), 'too_many_bytes')
  })

  test('more pictures at a time than may wait, with 503', async () => {
    const file = await png(64, 64)
    const made = await Promise.allSettled(
      Array.from({ length: 40 }, () => pictures.encode(file, BOX)),
    )
    const refused = made.filter((each) => each.status === 'rejected')
    assert.equal(refused.length, 40 - 18)
    assert.ok(refused.every(({ reason }) => reason instanceof Problem && reason.status === 503))
    assert.equal((await encoded(file)).width, 64)
  })
})
