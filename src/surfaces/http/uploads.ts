import multipart from '@fastify/multipart'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { readInTime } from '#http/upload-rate'
import { openSpace } from '#http/upload-space'
import { networksWith } from '#platform/networks'
import { PICTURE_LIMITS } from '#platform/pictures'
import { Problem } from '#platform/problem'
import type { RouteLimit } from '#platform/route-limits'

/** Uploads from one network: more than a person needs to fill in every page of an app. */
export const UPLOADS: RouteLimit = {
  name: 'uploads',
  points: 60,
  seconds: 600,
  key: (request) => networksWith(request.ip, request.routeOptions.url ?? ''),
}

const LIMITS = { files: 1, fields: 10, fieldNameSize: 100, fieldSize: 4000 }
// A body that is larger is refused unread; a file between both limits gets an error of its form.
const BODY_TIMES = 4
const MAX_BODY_MARGIN = 15 * 1024 * 1024
/** The memory that a scope's files take at once. */
const MAX_BYTES_AT_ONCE = 200 * 1024 * 1024
const MAX_FILES_OF_ACCOUNT = 2

/**
 * Lets the forms of a scope send a file. Files are kept in memory, so `admit` is called before one
 * is read, and throws if the user may not send it. The fields are read before the form's token is
 * checked, as in any other form. The name of a file is in a field named after the file's field,
 * with the suffix `_name`.
 */
export async function readUploads(
  scope: FastifyInstance,
  admit: (request: FastifyRequest, reply: FastifyReply) => Promise<unknown>,
  { bytes }: { bytes: number } = PICTURE_LIMITS,
): Promise<void> {
  // One byte more, so that a file that is too large is recognized and not cut off unnoticed.
  const limits = { ...LIMITS, fileSize: bytes + 1 }
  const most = Math.min(BODY_TIMES * bytes, bytes + MAX_BODY_MARGIN)
  await scope.register(multipart, { limits, throwFileSizeLimit: false })
  scope.addHook('onRequest', async ({ headers }) => {
    if (!/^multipart\//i.test(headers['content-type'] ?? '')) return
    // Browsers always say how much they send; without a number, there would be no limit.
    if (Number(headers['content-length'] ?? Number.POSITIVE_INFINITY) > most) {
      const megabytes = bytes / 1024 / 1024
      const message = `The file is too large. Use a file of at most ${megabytes} MB.`
      throw new Problem(413, 'payload_too_large', message)
    }
  })
  const takeSpace = openSpace({
    bytes: MAX_BYTES_AT_ONCE,
    bytes_of_file: bytes,
    files_of_account: MAX_FILES_OF_ACCOUNT,
  })
  scope.addHook('preValidation', async (request, reply) => {
    if (!request.isMultipart()) return
    await admit(request, reply)
    takeSpace(request, reply)
    request.body = await readInTime(request.raw, () => readParts(request)).catch((error) => {
      // What is left of the body is not read.
      reply.header('connection', 'close')
      throw error
    })
  })
}

async function readParts(request: FastifyRequest): Promise<Record<string, string | Buffer>> {
  const fields: Record<string, string | Buffer> = {}
  try {
    for await (const part of request.parts()) {
      if (part.type === 'file') {
        fields[part.fieldname] = await part.toBuffer()
        fields[`${part.fieldname}_name`] = (part.filename ?? '').replaceAll('\0', '')
      } else if (typeof part.value === 'string') fields[part.fieldname] = part.value
    }
  } catch (error) {
    if (error instanceof Error && 'code' in error && String(error.code).startsWith('FST_')) {
      throw error
    }
    throw unreadable()
  }
  if (Object.values(fields).some((value) => typeof value === 'string' && value.includes('\0'))) {
    throw unreadable()
  }
  return fields
}

function unreadable(): Problem {
  return new Problem(400, 'invalid_request', 'The request could not be read.')
}
