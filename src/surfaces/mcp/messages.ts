import type { FastifyRequest } from 'fastify'
import type { Bearer } from '#domain/grants'
import type { World } from '#flows/world'
import { challenge } from '#http/guards/agent'
import { scopeMessage } from './call.ts'
import { missingScope } from './scopes.ts'
import type { Tool } from './tool.ts'

/** The messages of a request: one, or in the oldest revision a batch of several. */
export function messagesOf(body: unknown): unknown[] {
  return Array.isArray(body) ? body : [body]
}

// The range that JSON-RPC leaves to whoever implements it.
const INSUFFICIENT_SCOPE = -32003

/**
 * The refusal of a call of a tool that a token's scopes do not reach: headers for HTTP 403, from
 * which clients learn what to ask the person for, and JSON-RPC in the same words.
 */
export function scopeRefusal(
  world: World,
  request: FastifyRequest,
  { tools, bearer }: { tools: Tool[]; bearer: Bearer },
): { headers: Record<string, string>; body: object } | undefined {
  for (const message of messagesOf(request.body)) {
    const { id, method, params } = (message ?? {}) as Partial<RpcMessage>
    const tool = method === 'tools/call' && tools.find(({ name }) => name === params?.name)
    const required_scope = tool && missingScope(tool, bearer.scopes)
    if (!required_scope) continue
    const error = 'insufficient_scope'
    const data = { error, required_scope, request_id: request.id }
    return {
      headers: challenge(world, { error, scope: required_scope }),
      body: {
        jsonrpc: '2.0',
        id: id ?? null,
        error: { code: INSUFFICIENT_SCOPE, message: scopeMessage(required_scope), data },
      },
    }
  }
  return undefined
}

interface RpcMessage {
  id: string | number | null
  method: string
  params: { name?: unknown } | null
}
