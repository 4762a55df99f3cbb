import type { FastifyInstance } from 'fastify'
import * as apps from '#domain/apps'
import type { World } from '#flows/world'
import { paramsOf } from '#http/input'
import { sendPicture } from '#http/picture-file'
import { refuse } from '#http/refusals'

const IMAGE = '/images/:file'

/** Icons and screenshots of apps, by their names. A file never changes, so caches keep it. */
export function declareImageFiles(app: FastifyInstance, { db, storage }: World): void {
  app.get(IMAGE, async (request, reply) => {
    const named = apps.readFile(paramsOf(IMAGE, request).file)
    const image = named && (await apps.findImage(db, named.id))
    if (!image || !apps.widthsOf(image).includes(named.width)) throw refuse('not_found')
    const content = await storage.get(apps.fileOf(image.id, named.width))
    if (!content) throw refuse('not_found')
    return sendPicture(reply, content, 'public, max-age=31536000, immutable')
  })
}
