import {
  createMcpHandler,
  isLegacyRequest,
  type Server,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server'
import type { FastifyRequest } from 'fastify'
import type { Caller } from './call.ts'

/** Answers one request in either version of the protocol. */
export interface Transport {
  answer(request: FastifyRequest, caller: Caller): Promise<Response>
  close(): Promise<void>
}

/**
 * Serves both versions of the protocol with one server per request, without sessions or streams:
 * every response is one JSON text.
 */
export function openTransport(makeServer: (caller: Caller) => Server): Transport {
  const modern = createMcpHandler(({ authInfo }) => makeServer(authInfo?.extra?.caller as Caller), {
    legacy: 'reject',
    // Nothing changes between requests, so there is nothing to subscribe to.
    maxSubscriptions: 0,
  })
  return {
    async answer(request, caller) {
      const body = withoutCancelling(request.body)
      const web = webRequest(request, body)
      if (await isLegacyRequest(web, body)) return await answerLegacy(web, body, makeServer(caller))
      const { client_id, scopes } = caller.bearer
      const authInfo = { token: '', clientId: client_id, scopes, extra: { caller } }
      return await modern.fetch(web, { parsedBody: body, authInfo })
    },
    close: () => modern.close(),
  }
}

/** A request as the library reads it, with the body that was parsed before. */
function webRequest({ raw }: FastifyRequest, body: unknown): Request {
  const headers = new Headers()
  for (const [name, value] of Object.entries(raw.headers)) headers.set(name, String(value))
  // It describes the body that was sent.
  headers.delete('content-length')
  return new Request('http://localhost/mcp', {
    method: 'POST',
    headers,
    body: JSON.stringify(body),
  })
}

/**
 * The revisions of 2025. Their transport requires streams to be accepted, though none is used here.
 */
async function answerLegacy(web: Request, body: unknown, server: Server): Promise<Response> {
  web.headers.set('accept', 'application/json, text/event-stream')
  const transport = new WebStandardStreamableHTTPServerTransport({
    sessionIdGenerator: undefined,
    enableJsonResponse: true,
  })
  await server.connect(transport)
  try {
    return await transport.handleRequest(web, { parsedBody: body })
  } finally {
    await server.close()
  }
}

/** Drops a batch's cancellation of its own request, whose response would never arrive. */
function withoutCancelling(body: unknown): unknown {
  if (!Array.isArray(body)) return body
  return body.filter((message) => message?.method !== 'notifications/cancelled')
}
