import type { FastifyReply } from 'fastify'
import { PICTURE_TYPE } from '#platform/pictures'
import { contentPolicy } from '#platform/security-headers'

/** Opened as a document, a picture loads nothing and has no origin. */
const POLICY = contentPolicy({ sandbox: [] })

/** Sends the file of a picture, for caches as named. */
export function sendPicture(
  reply: FastifyReply,
  content: Buffer,
  cache_control: string,
): FastifyReply {
  return reply
    .headers({
      'content-security-policy': POLICY,
      'cache-control': cache_control,
      'content-disposition': 'inline',
    })
    .type(PICTURE_TYPE)
    .send(content)
}
