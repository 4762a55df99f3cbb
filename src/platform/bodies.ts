import type { IncomingMessage } from 'node:http'
import type { FastifyInstance } from 'fastify'
import { nestsDeeperThan } from '#platform/nesting'
import { faultsOfNul } from '#platform/nul-characters'
import { type FieldFault, Problem } from '#platform/problem'

/** Reads the text of a JSON body; undefined for an empty one. Throws if it cannot be read. */
export type ReadJson = (text: string) => unknown

/** The framework's parser: it calls back before it returns, and does not read the request. */
type JsonParser = (
  request: undefined,
  text: string,
  done: (error: Error | null, body?: unknown) => void,
) => void

/** No request of this service nests deeper than ten levels. */
const DEEPEST = 32
const FORM = 'application/x-www-form-urlencoded'

/** Limits a server to bodies of JSON; returns how it reads them. */
export function readBodies(app: FastifyInstance): ReadJson {
  app.removeAllContentTypeParsers()
  const parse = jsonParserOf(app)
  const readJson: ReadJson = (text) => {
    const body = parse(text)
    const faults = text.includes('\\u0000') ? faultsOfNul(body) : []
    if (faults.length > 0) throw invalid(faults)
    return body
  }
  addJson(app, readJson)
  app.addContentTypeParser('*', (_request, body, done) => takeEmpty(body, done))
  return readJson
}

/** Lets a scope read texts with a NUL. It refuses them itself, with the other faults of a body. */
export function readNul(scope: FastifyInstance): void {
  scope.removeContentTypeParser('application/json')
  addJson(scope, jsonParserOf(scope))
}

function jsonParserOf(app: FastifyInstance): ReadJson {
  // Refuses members that would change what an object inherits.
  const parse = app.getDefaultJsonParser('error', 'error') as unknown as JsonParser
  return (text) => {
    if (text.length === 0) return undefined
    if (nestsDeeperThan(text, DEEPEST)) throw tooDeep()
    let body: unknown
    parse(undefined, text, (error, parsed) => {
      if (error) throw malformed('The request body could not be read as JSON.')
      body = parsed
    })
    return body
  }
}

function addJson(app: FastifyInstance, readJson: ReadJson): void {
  app.addContentTypeParser('application/json', { parseAs: 'string' }, (request, text, done) => {
    let body: unknown
    try {
      requirePlain(request.headers['content-encoding'])
      body = readJson(text as string)
    } catch (error) {
      return done(error as Error)
    }
    done(null, body)
  })
}

/** Throws for a compressed body, with the codings that are read (RFC 9110, 15.5.16). */
function requirePlain(coding: string | undefined): void {
  if (coding === undefined || coding.toLowerCase() === 'identity') return
  throw new Problem(
    415,
    'unsupported_media_type',
    'The request body is compressed. Send it without Content-Encoding.',
    { headers: { 'accept-encoding': 'identity' } },
  )
}

/** A body without a length in its headers may be empty; then its type does not matter. */
function takeEmpty(body: IncomingMessage, done: (error: Error | null) => void): void {
  const take = () => done(null)
  body.once('end', take)
  body.once('data', () => {
    body.off('end', take)
    done(notJson())
  })
}

/** Limits a scope of pages to posted forms; each field has one text value. */
export function readForms(scope: FastifyInstance): void {
  scope.removeAllContentTypeParsers()
  scope.addContentTypeParser(FORM, { parseAs: 'string' }, (_request, body, done) => {
    if (body.includes('%00') || body.includes('\0')) done(unreadable())
    else done(null, Object.fromEntries(new URLSearchParams(body as string)))
  })
}

/** The refusal of a request that is not what its content type says. */
export function unreadable(): Problem {
  // No text here contains a NUL, and PostgreSQL cannot store one.
  return malformed('The request could not be read.')
}

/** The refusal of a request for faults of its fields. */
export function invalid(fields: FieldFault[]): Problem {
  return new Problem(400, 'invalid_request', 'The request is invalid.', { fields })
}

/** The refusal of a request for a fault that is in none of its fields. */
export function malformed(message: string, status = 400): Problem {
  return new Problem(status, 'invalid_request', message, { fields: [{ path: '', message }] })
}

/** The refusal of a body that is not JSON. */
export function notJson(): Problem {
  return new Problem(415, 'unsupported_media_type', 'Send Content-Type: application/json.')
}

function tooDeep(): Problem {
  return malformed(`The request body nests deeper than ${DEEPEST} levels.`)
}
