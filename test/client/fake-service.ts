/** A local HTTP server that answers as a test decides, and records its requests. */
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'

export type ReceivedRequest = {
  method: string
  path: string
  headers: IncomingHttpHeaders
  body: string
}

/** `reset` cuts the connection and `hang` never answers; otherwise `body` is sent as JSON. */
export type Reply = {
  status?: number
  headers?: Record<string, string>
  body?: unknown
  reset?: boolean
  hang?: boolean
}

export type FakeService = AsyncDisposable & { url: string; requests: ReceivedRequest[] }

/** Starts on a free port. `reply` may change between requests: it is called once for each. */
export async function startFakeService(
  reply: (requests: ReceivedRequest) => Reply | Promise<Reply>,
): Promise<FakeService> {
  const requests: ReceivedRequest[] = []
  const server = createServer(async (request, response) => {
    const { method = '', url = '', headers } = request
    const one = { method, path: url, headers, body: await text(request) }
    requests.push(one)
    const { status = 200, headers: more, body, reset, hang } = await reply(one)
    if (hang) return
    if (reset) return response.destroy()
    response.writeHead(status, { 'content-type': 'application/json', ...more })
    response.end(typeof body === 'string' ? body : JSON.stringify(body ?? {}))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

/** A refusal as the service words it on the wire. */
export function refusal(status: number, error: string, more: object = {}): Reply {
  const request_id = 'req_test'
  return {
    status,
    headers: { 'x-request-id': request_id },
    body: { error, message: `Refused with ${error}.`, request_id, ...more },
  }
}

/** A license state on the wire. */
export function license(more: object = {}) {
  return {
    entitled: true,
    status: 'active',
    license_id: 'lic_1',
    product_id: 'prod_pro',
    product_public_id: 'prod_pro',
    period_end: null,
    canceled_at: null,
    ...more,
  }
}

/** What a fake service answers to the discovery of its provider. */
export function providerMetadata(url: string): Record<string, string> {
  const issuer = `${url}/o`
  return {
    issuer,
    authorization_endpoint: `${issuer}/auth`,
    token_endpoint: `${issuer}/token`,
    revocation_endpoint: `${issuer}/token/revocation`,
  }
}
