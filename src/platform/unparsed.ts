import { STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import { malformed, unreadable } from '#platform/bodies'
import { mintId } from '#platform/ids'
import type { Log } from '#platform/log'
import type { Problem } from '#platform/problem'
import type { Random } from '#platform/random'

interface UnparsedOptions {
  log: Log
  random: Random
  /** The headers of every answer. */
  headers: Readonly<Record<string, string>>
}

/** An error of Node's HTTP parser. */
type ParserError = Error & { code?: string }

/**
 * Answers what the HTTP parser refuses, so that it never becomes a request: with the body and the
 * headers of every other error.
 */
export function answerUnparsed({ log, random, headers }: UnparsedOptions) {
  return (error: ParserError, socket: Socket): void => {
    if (error.code === 'ECONNRESET' || socket.destroyed) return
    const request_id = mintId(random, 'req')
    // Without the error, which has the bytes that arrived, and they may contain secrets.
    log.debug({ request_id, code: error.code }, 'unreadable request')
    if (socket.writable) socket.write(textOf(problemOf(error), request_id, headers))
    socket.destroy(error)
  }
}

function problemOf({ code }: ParserError): Problem {
  if (code === 'HPE_HEADER_OVERFLOW') return malformed('The request headers are too large.', 431)
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') {
    return malformed('The request did not arrive in time.', 408)
  }
  return unreadable()
}

/** The whole response, as there is no object to write it with. */
function textOf(
  { status, code, message, details }: Problem,
  request_id: string,
  headers: Readonly<Record<string, string>>,
): string {
  const body = JSON.stringify({ error: code, message, request_id, fields: details.fields })
  const lines = Object.entries({
    'x-request-id': request_id,
    ...headers,
    'cache-control': 'no-store',
    'content-type': 'application/json; charset=utf-8',
    'content-length': Buffer.byteLength(body),
    connection: 'close',
  }).map(([name, value]) => `${name}: ${value}\r\n`)
  return `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join('')}\r\n${body}`
}
