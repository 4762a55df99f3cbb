import sharp from 'sharp'

/** A picture of one color with a different corner, so that its parts differ. */
export function picture(width: number, height: number, background = '#0d4f46') {
  const corner = { create: { width: 16, height: 16, channels: 3, background: '#fbfaf5' } } as const
  return sharp({ create: { width, height, channels: 3, background } }).composite([
    { input: corner, top: 0, left: 0 },
  ])
}

/** A PNG file of a picture. */
export async function png(width: number, height: number, background?: string): Promise<Buffer> {
  return await picture(width, height, background).png().toBuffer()
}
