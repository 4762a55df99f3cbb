import assert from 'node:assert/strict'
import { crc32, inflateRawSync } from 'node:zlib'

const END = 0x06054b50
const ENTRY = 0x02014b50

/** The files of a ZIP archive by name, read by its central directory; each checksum is asserted. */
export function readZip(archive: Buffer): Map<string, Buffer> {
  let end = archive.length - 22
  while (archive.readUInt32LE(end) !== END) end--
  const files = new Map<string, Buffer>()
  let at = archive.readUInt32LE(end + 16)
  for (let left = archive.readUInt16LE(end + 10); left > 0; left--) {
    assert.equal(archive.readUInt32LE(at), ENTRY)
    const [name_length, extra, comment] = [28, 30, 32].map((place) =>
      archive.readUInt16LE(at + place),
    ) as [number, number, number]
    const name = archive.toString('utf8', at + 46, at + 46 + name_length)
    const start = archive.readUInt32LE(at + 42)
    const data = start + 30 + archive.readUInt16LE(start + 26) + archive.readUInt16LE(start + 28)
    const packed = archive.subarray(data, data + archive.readUInt32LE(at + 20))
    const content = archive.readUInt16LE(at + 10) === 0 ? packed : inflateRawSync(packed)
    assert.equal(crc32(content), archive.readUInt32LE(at + 16), name)
    files.set(name, content)
    at += 46 + name_length + extra + comment
  }
  return files
}
