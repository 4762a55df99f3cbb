import type { FastifyRequest } from 'fastify'
import type { Bearer } from '#domain/grants'
import type { World } from '#flows/world'
import { challenge } from '#http/guards/agent'
import { missingScope, scopeMessage } from './scopes.ts'
import type { Tool } from './tool.ts'

/** The messages of a request: one, or several in a batch of the oldest revision. */
export function messagesOf(body: unknown): unknown[] {
  return Array.isArray(body) ? body : [body]
}

// From the range that JSON-RPC leaves to implementations.
const INSUFFICIENT_SCOPE = -32003

/**
 * The error for a tool call without the required scope: headers for HTTP 403, from which clients
 * learn the scope to request, and the JSON-RPC error.
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
