import type * as grants from '#domain/grants'
import { agentToken, sellerBearer } from './agent-token.ts'
import { openTestService, type TestService } from './service.ts'

/** A listening service, and headers with a token of its seller for scopes, by default all. */
export interface AgentEndpointTest {
  service: TestService
  base_url: string
  bearer(...scopes: grants.AgentScope[]): ReturnType<typeof sellerBearer>
}

/** Opens a listening service for tests of the agent endpoint. */
export async function openAgentEndpointTest(): Promise<AgentEndpointTest> {
  const service = await openTestService()
  await service.listen()
  const { base_url } = service.world.config
  return { service, base_url, bearer: (...scopes) => sellerBearer(service, ...scopes) }
}

/** The shortest valid request. */
export const PING = { jsonrpc: '2.0', id: 1, method: 'ping' }

/** The protocol revision in which every request is self-contained. */
export const MODERN = '2026-07-28'

/** The result of a tool, or its error parsed from text. */
export interface ToolResult {
  status: number
  is_error: boolean
  // biome-ignore lint/suspicious/noExplicitAny: a test reads what it expects.
  json: any
}

/** Sends a valid request to the agent endpoint. */
export async function post(
  { app, world }: Pick<TestService, 'app' | 'world'>,
  payload: unknown,
  headers: Record<string, string | undefined> = {},
) {
  const { host } = new URL(world.config.base_url)
  const all = {
    host,
    accept: 'application/json',
    'content-type': 'application/json',
    'user-agent': 'test-agent/1.0',
    ...headers,
  }
  return await app.inject({
    method: 'POST',
    url: '/mcp',
    headers: Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined)),
    payload: typeof payload === 'string' ? payload : JSON.stringify(payload),
  })
}

/** A call of a tool, as JSON-RPC. */
export function toolCall(name: string, args: unknown = {}, id: number | string = 1) {
  return { jsonrpc: '2.0', id, method: 'tools/call', params: { name, arguments: args } }
}

/** An agent of a person. */
export interface McpAgent {
  token: string
  call(name: string, args?: unknown): Promise<ToolResult>
}

const CALLS_A_TOKEN = 60

/**
 * An agent with these scopes, all four by default. It gets a new token before the rate limit of the
 * old one is reached.
 */
export async function mcpAgent(
  service: TestService,
  facts: { email: string; scopes?: readonly grants.AgentScope[] },
): Promise<McpAgent> {
  let calls = 0
  const agent: McpAgent = {
    token: await agentToken(service, facts),
    async call(name, args = {}) {
      if (++calls % CALLS_A_TOKEN === 0) agent.token = await agentToken(service, facts)
      const authorization = `Bearer ${agent.token}`
      const answer = await post(service, toolCall(name, args), { authorization })
      return resultOf(answer.statusCode, answer.json())
    },
  }
  return agent
}

// biome-ignore lint/suspicious/noExplicitAny: a response of any shape.
function resultOf(status: number, { result, error }: any): ToolResult {
  if (!result) return { status, is_error: true, json: error }
  const json = JSON.parse(result.content[0].text)
  return { status, is_error: result.isError === true, json }
}
