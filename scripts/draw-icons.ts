/**
 * Draws the icons that browsers and home screens ask for from the mark in `src/platform/design`,
 * with Chromium. The files are in the repository: run this again when the mark changes.
 */
import { mkdir, writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { chromium } from 'playwright-core'
import { favicon } from '#design/brand'
import { findChromium } from './chromium.ts'

const out = fileURLToPath(new URL('../src/surfaces/public-site/icons/', import.meta.url))
const ICO_SIZES = [16, 32, 48]
/** A home screen rounds the corners itself, so these have square ones. */
const SQUARE = { 'apple-touch-icon.png': 180, 'icon-192.png': 192, 'icon-512.png': 512 }

const browser = await chromium.launch({ executablePath: findChromium(), args: ['--no-sandbox'] })

async function draw(svg: string, size: number): Promise<Buffer> {
  const page = await browser.newPage({ viewport: { width: size, height: size } })
  const image = `data:image/svg+xml;base64,${Buffer.from(svg).toString('base64')}`
  await page.setContent(`<style>*{margin:0}</style><img src="${image}" width="${size}">`)
  const png = await page.screenshot({ omitBackground: true })
  await page.close()
  return png
}

/** An icon file of several PNG images: a directory of 16 bytes for each, then the images. */
function icoOf(images: { size: number; png: Buffer }[]): Buffer {
  const head = Buffer.alloc(6 + 16 * images.length)
  head.writeUInt16LE(1, 2)
  head.writeUInt16LE(images.length, 4)
  let offset = head.length
  for (const [index, { size, png }] of images.entries()) {
    const at = 6 + 16 * index
    head.writeUInt8(size, at)
    head.writeUInt8(size, at + 1)
    head.writeUInt16LE(1, at + 4)
    head.writeUInt16LE(32, at + 6)
    head.writeUInt32LE(png.length, at + 8)
    head.writeUInt32LE(offset, at + 12)
    offset += png.length
  }
  return Buffer.concat([head, ...images.map(({ png }) => png)])
}

await mkdir(out, { recursive: true })
const images: { size: number; png: Buffer }[] = []
for (const size of ICO_SIZES) images.push({ size, png: await draw(favicon(), size) })
await writeFile(`${out}favicon.ico`, icoOf(images))
for (const [name, size] of Object.entries(SQUARE)) {
  await writeFile(`${out}${name}`, await draw(favicon().replace(/ rx="[\d.]+"/, ''), size))
}
await browser.close()
