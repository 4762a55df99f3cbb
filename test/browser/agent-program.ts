import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import * as v2 from '@modelcontextprotocol/client'
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport as TransportV1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import * as grants from '#domain/grants'

/** What an agent's library requires of its caller, in memory. */
class Provider implements v2.OAuthClientProvider {
  readonly redirectUrl: string
  /** The authorization page of the library. */
  authorization: URL | undefined
  #tokens: v2.OAuthTokens | undefined
  #verifier = ''
  #discovered: v2.OAuthDiscoveryState | undefined

  constructor(redirectUrl: string) {
    this.redirectUrl = redirectUrl
  }
  get clientMetadata(): v2.OAuthClientMetadata {
    return { client_name: 'A test agent', redirect_uris: [this.redirectUrl] }
  }
  state(): string {
    return 'as it was'
  }
  clientInformation() {
    return { client_id: grants.AGENT_CLIENT }
  }
  tokens() {
    return this.#tokens
  }
  saveTokens(tokens: v2.OAuthTokens): void {
    this.#tokens = tokens
  }
  redirectToAuthorization(url: URL): void {
    this.authorization = url
  }
  saveCodeVerifier(verifier: string): void {
    this.#verifier = verifier
  }
  codeVerifier(): string {
    return this.#verifier
  }
  saveDiscoveryState(discovered: v2.OAuthDiscoveryState): void {
    this.#discovered = discovered
  }
  discoveryState() {
    return this.#discovered
  }
  invalidateCredentials(scope: string): void {
    if (scope === 'all' || scope === 'tokens') this.#tokens = undefined
  }
}

/** A tool result, as far as both libraries agree. */
export interface ToolAnswer {
  isError?: boolean | undefined
  structuredContent?: unknown
  content: unknown
}

/** A library's calls: connect, exchange the code, call a tool. */
interface Way {
  connect(): Promise<void>
  finish(answer: URLSearchParams): Promise<void>
  call(name: string, args: Record<string, unknown>): Promise<ToolAnswer>
  close(): Promise<void>
}

const INFO = { name: 'test-agent', version: '1.0.0' }

/** The official libraries, of both generations. */
export const LIBRARIES = {
  '@modelcontextprotocol/sdk 1': (url: URL, authProvider: Provider): Way => {
    let client = new ClientV1(INFO)
    let transport = new TransportV1(url, { authProvider: authProvider as never })
    return {
      async connect() {
        client = new ClientV1(INFO)
        transport = new TransportV1(url, { authProvider: authProvider as never })
        await client.connect(transport)
      },
      finish: (answer) => transport.finishAuth(answer.get('code') ?? ''),
      call: async (name, args) =>
        (await client.callTool({ name, arguments: args })) as unknown as ToolAnswer,
      close: () => client.close(),
    }
  },
  '@modelcontextprotocol/client 2': (url: URL, authProvider: Provider): Way => {
    let client = new v2.Client(INFO)
    let transport = new v2.StreamableHTTPClientTransport(url, { authProvider })
    return {
      async connect() {
        client = new v2.Client(INFO)
        transport = new v2.StreamableHTTPClientTransport(url, { authProvider })
        await client.connect(transport)
      },
      finish: (answer) => transport.finishAuth(answer),
      call: async (name, args) =>
        (await client.callTool({ name, arguments: args })) as unknown as ToolAnswer,
      close: () => client.close(),
    }
  },
} as const

export type Library = keyof typeof LIBRARIES

/** An agent on this machine, with a redirect URL on a free port. */
export interface AgentProgram extends Way {
  callback: string
  /** The authorization page, once the endpoint has refused the agent. */
  authorization(): string
  /** The parameters that the browser returned with. */
  answer(): Promise<URLSearchParams>
}

/** Starts an agent that wants to use a service's agent endpoint. */
export async function startAgent(library: Library, base_url: string): Promise<AgentProgram> {
  const answered = Promise.withResolvers<URLSearchParams>()
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://localhost')
    response.setHeader('content-type', 'text/html')
    response.end('<!doctype html><title>Done</title><h1>You can close this tab</h1>')
    if (pathname === '/oauth/callback') answered.resolve(searchParams)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const callback = `http://127.0.0.1:${portOf(server)}/oauth/callback`
  const provider = new Provider(callback)
  const way = LIBRARIES[library](new URL(`${base_url}/mcp`), provider)
  return {
    ...way,
    callback,
    authorization: () => provider.authorization?.href ?? '',
    answer: () => answered.promise,
    async close() {
      await way.close()
      server.closeAllConnections()
      server.close()
    },
  }
}

function portOf(server: Server): number {
  return (server.address() as AddressInfo).port
}
