import type { IncomingMessage } from 'node:http'
import type { FastifyRequest } from 'fastify'

const requests = new WeakMap<object, FastifyRequest>()

/** Remembers whose bare request this is while the library answers it. */
export function rememberRequest(request: FastifyRequest): void {
  requests.set(request.raw, request)
}

/** The request that the library is answering. */
export function requestOf(raw: IncomingMessage | object): FastifyRequest {
  const request = requests.get(raw)
  if (!request) throw new Error('the library answers a request that it was not given')
  return request
}
