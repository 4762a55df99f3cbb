import type { FastifyReply, FastifyRequest } from 'fastify'
import type { JSX } from 'preact'
import { renderPage } from '#design/layout'
import { languageHeaders } from '#platform/language/request'
import { Problem } from '#platform/problem'
import type { KeyRing } from '#platform/secrets'
import type { ProcessorOptions } from './processor.ts'

/** What the pages need: the processor's options, and keys for fingerprints. */
export interface SandboxPageOptions extends ProcessorOptions {
  keys: KeyRing
}

/** A request for a page with an ID in its path. */
export type SandboxPageRequest = FastifyRequest<{ Params: { id: string } }>

/** Sends a page; the browser returns to it after a change of language, or to `then`. */
export function send(reply: FastifyReply, page: JSX.Element, then?: string): FastifyReply {
  const { merchant, marked_as_test } = reply.server
  const form = reply.request.language_form?.(true)
  const language = form && { ...form, return_to: then ?? form.return_to }
  return reply
    .headers(languageHeaders(reply.request))
    .type('text/html; charset=utf-8')
    .send(renderPage(page, { merchant, marked_as_test, language }))
}

/** The error for a page that does not exist. */
export function notFound(): Problem {
  return new Problem(404, 'not_found', 'There is nothing at this address.')
}
