import { constants } from 'node:zlib'
import compress from '@fastify/compress'
import type { FastifyInstance } from 'fastify'

const LEAST_BYTES = 1024
/** Nearly as small as the best quality, in a tenth of its time. */
const BROTLI_QUALITY = 5

/**
 * Compresses the responses of a scope's routes. Call it before they are declared, and only for
 * content that is the same for everyone: if a response contains a secret, its compressed length can
 * reveal it (BREACH). A response with a form token, which every signed-in user gets, is sent
 * uncompressed.
 */
export async function compressAnswers(scope: FastifyInstance): Promise<void> {
  scope.addHook('onSend', (request, reply, payload, done) => {
    const has_token = typeof payload === 'string' && payload.includes('csrf_token')
    // How the library is asked to leave an answer alone.
    if (has_token) request.headers['x-no-compression'] = 'secret'
    // The library names it only where it compresses: a cache would keep the other answers for all.
    else reply.header('vary', namesOf(reply.getHeader('vary')).concat('accept-encoding').join(', '))
    done(null, payload)
  })
  await scope.register(compress, {
    globalDecompression: false,
    threshold: LEAST_BYTES,
    encodings: ['br', 'gzip'],
    brotliOptions: { params: { [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY } },
  })
}

function namesOf(header: number | string | string[] | undefined): string[] {
  return header === undefined ? [] : [header].flat().map(String)
}
