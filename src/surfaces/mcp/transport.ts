import { toWebRequest } from '@modelcontextprotocol/node'
import {
  createMcpHandler,
  isLegacyRequest,
  type Server,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server'
import type { FastifyRequest } from 'fastify'
import type { Caller } from './call.ts'

/** Answers one request of the protocol, in either of its eras. */
export interface Transport {
  answer(request: FastifyRequest, caller: Caller): Promise<Response>
  close(): Promise<void>
}

/**
 * Both eras of the protocol over one server for each request, without sessions and without streams:
 * whatever is asked is answered as one JSON text.
 */
export function openTransport(makeServer: (caller: Caller) => Server): Transport {
  const modern = createMcpHandler(({ authInfo }) => makeServer(authInfo?.extra?.caller as Caller), {
    legacy: 'reject',
    // Nothing here changes by itself, so there is nothing to listen to.
    maxSubscriptions: 0,
  })
  return {
    async answer(request, caller) {
      const body = withoutCancelling(request.body)
      const web = await toWebRequest(request.raw, body)
      if (await isLegacyRequest(web, body)) return await answerLegacy(web, body, makeServer(caller))
      const { client_id, scopes } = caller.bearer
      const authInfo = { token: '', clientId: client_id, scopes, extra: { caller } }
      return await modern.fetch(web, { parsedBody: body, authInfo })
    },
    close: () => modern.close(),
  }
}

/** The revisions of 2025. Their transport wants streams named too, of which it makes no use here. */
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

/** Of a batch that cancels a request of its own, the answer would never come. */
function withoutCancelling(body: unknown): unknown {
  if (!Array.isArray(body)) return body
  return body.filter((message) => message?.method !== 'notifications/cancelled')
}
