import { spawn } from 'node:child_process'
import { once } from 'node:events'
import http, { type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { fileURLToPath } from 'node:url'
import { agentToken } from '../support/agent-token.ts'
import { openTestService, type TestService } from '../support/service.ts'

const SUITE = fileURLToPath(new URL('../../node_modules/.bin/conformance', import.meta.url))
/** The scenarios that fail here, each with the reason why. */
export const EXPECTED_FAILURES = fileURLToPath(new URL('expected-failures.yml', import.meta.url))

// A token may ask sixty times a minute, and the suite asks oftener.
const CALLS_A_TOKEN = 50

/** How the suite ended, and all that it printed. */
export interface Outcome {
  /** 0 where exactly the expected scenarios failed. */
  code: number
  output: string
}

/**
 * Runs the official conformance suite against a service of its own, through a proxy that adds an
 * access token and changes nothing else: the suite knows of none.
 */
export async function runConformance(): Promise<Outcome> {
  const service = await openTestService()
  await service.listen()
  const proxy = http.createServer(forwarder(service))
  proxy.listen(0, '127.0.0.1')
  await once(proxy, 'listening')
  try {
    const { port } = proxy.address() as AddressInfo
    return await runSuite(`http://127.0.0.1:${port}/mcp`)
  } finally {
    proxy.closeAllConnections()
    proxy.close()
    await service.close()
  }
}

async function runSuite(url: string): Promise<Outcome> {
  const args = ['server', '--url', url, '--suite', 'all', '--expected-failures', EXPECTED_FAILURES]
  const suite = spawn(process.execPath, [SUITE, ...args], { stdio: ['ignore', 'pipe', 'pipe'] })
  let output = ''
  for (const stream of [suite.stdout, suite.stderr]) {
    stream.on('data', (chunk: Buffer) => {
      output += chunk.toString()
    })
  }
  const [code] = (await once(suite, 'close')) as [number]
  return { code, output }
}

function forwarder(service: TestService) {
  const { port } = new URL(service.world.config.base_url)
  const tokens: Promise<string>[] = []
  let calls = 0
  const nextToken = () => {
    const number = Math.floor(calls++ / CALLS_A_TOKEN)
    tokens[number] ??= agentToken(service, { email: service.demo.seller.email })
    return tokens[number]
  }
  return async (request: IncomingMessage, response: ServerResponse) => {
    const headers = { ...request.headers, authorization: `Bearer ${await nextToken()}` }
    const { method, url: path } = request
    const onwards = http.request({ host: '127.0.0.1', port, method, path, headers })
    onwards.on('response', (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers)
      answer.pipe(response)
    })
    onwards.on('error', () => response.destroy())
    request.pipe(onwards)
  }
}
