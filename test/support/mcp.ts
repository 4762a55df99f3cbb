import type * as grants from '#domain/grants'
import { agentToken } from './agent-token.ts'
import type { TestService } from './service.ts'

/** The revision of the protocol that says everything in every request. */
export const MODERN = '2026-07-28'

/** What a tool answered: the result that keeps its schema, or the refusal as its text says it. */
export interface ToolResult {
  status: number
  is_error: boolean
  // biome-ignore lint/suspicious/noExplicitAny: a test looks into what it expects.
  json: any
}

/** Sends a body to the agent endpoint as a program does that knows how. */
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
 * An agent that was allowed these scopes, all four by default. A token may be used so many times
 * a minute; the agent gets itself another in time.
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

// biome-ignore lint/suspicious/noExplicitAny: an answer of any shape.
function resultOf(status: number, { result, error }: any): ToolResult {
  if (!result) return { status, is_error: true, json: error }
  const json = JSON.parse(result.content[0].text)
  return { status, is_error: result.isError === true, json }
}
