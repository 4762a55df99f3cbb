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

/** An error of Node's HTTP parser, with the bytes that arrived last. */
type ParserError = Error & { code?: string; rawPacket?: unknown }

/**
 * Answers what the HTTP parser refuses, so that it never becomes a request: with the body and the
 * headers of every other error, or with a sentence for a person in a browser.
 */
export function answerUnparsed({ log, random, headers }: UnparsedOptions) {
  return (error: ParserError, socket: Socket): void => {
    if (error.code === 'ECONNRESET' || socket.destroyed) return
    const request_id = mintId(random, 'req')
    // Without the error, which has the bytes that arrived, and they may contain secrets.
    log.debug({ request_id, code: error.code }, 'unreadable request')
    const problem = problemOf(error)
    const body = isForPage(error) ? sentenceOf(problem) : bodyOf(problem, request_id)
    const own = { 'x-request-id': request_id, ...headers }
    if (socket.writable) socket.write(responseOf(problem.status, own, body))
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

/** Whether a browser sent this, and not a program, as far as the bytes tell. */
function isForPage({ code, rawPacket }: ParserError): boolean {
  const text = Buffer.isBuffer(rawPacket) ? rawPacket.toString('latin1') : ''
  if (/^[A-Z]+ \S+ HTTP\//.test(text)) return /^accept:.*\btext\/html\b/im.test(text)
  // Headers of several packets are those of a browser with many cookies; this is the last one.
  return code === 'HPE_HEADER_OVERFLOW'
}

interface UnparsedBody {
  type: 'text/plain' | 'application/json'
  text: string
}

function sentenceOf({ status, message }: Problem): UnparsedBody {
  const remedy = status === 431 ? ' Delete the cookies of this site, then open the page again.' : ''
  return { type: 'text/plain', text: `${message}${remedy}\n` }
}

function bodyOf({ code, message, details }: Problem, request_id: string): UnparsedBody {
  const body = { error: code, message, request_id, fields: details.fields }
  return { type: 'application/json', text: JSON.stringify(body) }
}

/** The whole response, as there is no object to write it with. */
function responseOf(
  status: number,
  headers: Readonly<Record<string, string>>,
  { type, text }: UnparsedBody,
): string {
  const lines = Object.entries({
    ...headers,
    'cache-control': 'no-store',
    'content-type': `${type}; charset=utf-8`,
    'content-length': Buffer.byteLength(text),
    connection: 'close',
  }).map(([name, value]) => `${name}: ${value}\r\n`)
  return `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join('')}\r\n${text}`
}
