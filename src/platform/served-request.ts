import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import type { FastifyBaseLogger, FastifyContextConfig } from 'fastify'

/** What logs, figures, limits and endpoints read of a request, from a shortcut or a route. */
export interface ServedRequest {
  id: string
  method: string
  headers: IncomingHttpHeaders
  /** The caller's address, behind the proxies that are trusted. */
  ip: string
  /** The caller's account, as soon as it is known. */
  account_id: string | undefined
  log: Pick<FastifyBaseLogger, 'error' | 'warn'>
  raw: IncomingMessage
  routeOptions: ServedRoute
}

/** A route: its pattern, undefined if none was found, and how it is logged. */
export interface ServedRoute {
  url?: string | undefined
  config: Pick<FastifyContextConfig, 'sampled' | 'quiet'>
}

/** What logs and figures read of a response. */
export interface ServedReply {
  statusCode: number
  /** Milliseconds since the request arrived. */
  elapsedTime: number
}
