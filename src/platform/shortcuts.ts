import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type ServerResponse,
} from 'node:http'
import type { FastifyInstance, FastifyServerFactory } from 'fastify'
import inject from 'light-my-request'
import type { ReadJson } from '#platform/bodies'
import type { Drain } from '#platform/drain'
import type { ServedReply, ServedRequest, ServedRoute } from '#platform/served-request'

/**
 * Answers a request on the HTTP server, before the framework looks for a route; false for one that
 * it leaves to the framework.
 */
export type Shortcut = (request: IncomingMessage, response: ServerResponse) => boolean

/** What shortcuts share with the routes of a server, so that both answer alike. */
export interface ShortcutParts {
  /** The headers of every answer. */
  headers: Readonly<Record<string, string>>
  /** A request as logs, limits and endpoints read it. */
  served(raw: IncomingMessage, route: ServedRoute): ServedRequest
  readJson: ReadJson
  /** Reports that a request arrived; `next` continues with it. */
  onArrival(request: ServedRequest, next: () => void): void
  /** Logs and reports a response. */
  onAnswer(request: ServedRequest, reply: ServedReply): void
}

declare module 'fastify' {
  interface FastifyInstance {
    shortcuts: Shortcut[]
    shortcut_parts: ShortcutParts
    /** Answers a request, by a shortcut or by a route. */
    answer: RequestListener
  }
}

interface ShortcutOptions {
  /** Makes the HTTP server. */
  server_factory?: FastifyServerFactory | undefined
  /** Says when the server is about to close: then the framework answers everything. */
  drain?: Pick<Drain, 'is_on'> | undefined
}

/** Shortcuts for a server that is created next, with its factory and how they are added to it. */
export function openShortcuts({ server_factory = createPlainServer, drain }: ShortcutOptions) {
  const shortcuts: Shortcut[] = []
  const before =
    (answer: RequestListener): RequestListener =>
    (request, response) => {
      // The framework asks callers of a server that closes to close their connections.
      const isAnswered = !drain?.is_on && shortcuts.some((shortcut) => shortcut(request, response))
      if (!isAnswered) answer(request, response)
    }
  return {
    server_factory: ((answer, limits) =>
      server_factory(before(answer), limits)) satisfies FastifyServerFactory,
    /** Adds them to the server, for requests that tests inject as well. */
    addTo(app: FastifyInstance, parts: ShortcutParts): void {
      const answer = before((request, response) => app.routing(request, response))
      app.decorate('shortcuts', shortcuts)
      app.decorate('shortcut_parts', parts)
      app.decorate('answer', answer)
      app.addHook('preClose', (done) => {
        shortcuts.length = 0
        done()
      })
      const injectAnswer = async (request: Parameters<typeof inject>[1]) => {
        await app.ready()
        return await inject(answer, request)
      }
      app.inject = injectAnswer as FastifyInstance['inject']
    },
  }
}

type ServerLimits = Record<'keepAliveTimeout' | 'requestTimeout' | 'connectionTimeout', number>

/** A server with the timeouts that the framework gives to its own. */
export const createPlainServer: FastifyServerFactory = (answer, options) => {
  const limits = options as ServerLimits
  const own = {
    // A request without a body is not a stream of its own, which would cost a fifth of a short one.
    optimizeEmptyRequests: true,
    // Node's own refusals have no body and none of our headers.
    requireHostHeader: false,
  }
  const server = createServer(own, answer).on('checkExpectation', answer)
  server.keepAliveTimeout = limits.keepAliveTimeout
  server.requestTimeout = limits.requestTimeout
  server.setTimeout(limits.connectionTimeout)
  return server
}
