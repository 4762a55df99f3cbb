import { MIMEType } from 'node:util'
import type { FastifyRequest } from 'fastify'

/** Whether the Accept header names this media type itself; a wildcard is not enough. */
export function namesType({ headers }: FastifyRequest, type: string): boolean {
  return (headers.accept ?? '').split(',').some((range) => {
    const read = mediaTypeOf(range)
    return read?.essence === type && Number(read.params.get('q') ?? 1) !== 0
  })
}

function mediaTypeOf(text: string): MIMEType | undefined {
  try {
    return new MIMEType(text)
  } catch {
    return undefined
  }
}
