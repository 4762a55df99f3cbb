import { type CallToolResult, ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server'
import * as apps from '#domain/apps'
import type { Bearer } from '#domain/grants'
import { owesTerms } from '#flows/accept-terms'
import type { World } from '#flows/world'
import { faultsOf } from '#http/field-faults'
import type { FieldFault } from '#platform/problem'
import { counted } from '#platform/text'
import { farTooMany } from './counts.ts'
import { fillIn, mergeFaults } from './fill-in.ts'
import { missingScope } from './scopes.ts'
import type { Tool, ToolAnswer } from './tool.ts'

/** Who calls: what the token says, the request, and what the agent calls itself. */
export interface Caller {
  bearer: Bearer
  request_id: string
  agent: string
}

/** Beyond this many faults nobody mends them one by one. */
const MOST_FAULTS = 200

/** What a call that was refused says beside its code and its sentence. */
interface More {
  fields?: FieldFault[]
  required_scope?: string
  acceptance_url?: string
}

/**
 * Calls a tool (spec: Agent-management endpoint). What the caller can mend is an answer with
 * `isError`; nothing was written then.
 */
export async function callTool(
  world: World,
  caller: Caller,
  { tool, args }: { tool: Tool; args: Record<string, unknown> },
): Promise<CallToolResult> {
  const required_scope = missingScope(tool, caller.bearer.scopes)
  if (required_scope !== undefined) return lacking(required_scope)
  try {
    if (tool.writes && (await owesTerms(world, caller.bearer.user_id))) return termsFirst(world)
    return resultOf(tool, await runTool(world, caller, tool, args))
  } catch (error) {
    const { request_id } = caller
    world.log.error({ error, request_id, tool: tool.name }, 'unhandled error')
    const message = 'Something went wrong on our side. Nothing was saved.'
    const data = { error: 'internal_error', message, request_id }
    throw new ProtocolError(ProtocolErrorCode.InternalError, message, data)
  }
}

async function runTool(
  world: World,
  { bearer, request_id, agent }: Caller,
  tool: Tool,
  args: Record<string, unknown>,
): Promise<ToolAnswer> {
  const actor = { kind: 'agent', user_id: bearer.user_id, request_id, agent } as const
  const run = async ({ app_slug, dry_run = false, ...input }: Input): Promise<ToolAnswer> => {
    const call = { world, input, actor, dry_run }
    if (app_slug === undefined) return await tool.run(call)
    const app = await apps.findOwn(world.db, { slug: app_slug, seller_user_id: bearer.user_id })
    // An app of another seller gets the same answer as one that does not exist.
    return app ? await tool.run({ ...call, app }) : UNKNOWN_APP
  }
  const excess = farTooMany(args)
  if (excess.length > 0) return { faults: excess }
  const parsed = tool.input.safeParse(args)
  if (parsed.success) return await run(parsed.data)
  const faults = faultsOf(parsed.error)
  const filled = tool.writes && faults.length <= MOST_FAULTS ? fillIn(tool.input, args) : undefined
  if (!filled) return { faults }
  // Mended in its form it is rehearsed, so that faults in its content are told along.
  const rehearsal = await run({ ...filled, dry_run: true })
  return { faults: mergeFaults(faults, 'faults' in rehearsal ? rehearsal.faults : []) }
}

type Input = { app_slug?: string; dry_run?: boolean }

const UNKNOWN_APP = {
  error: 'unknown_app',
  message: 'app_slug matches none of your apps. Call list_apps for the valid values.',
}

function resultOf(tool: Tool, answer: ToolAnswer): CallToolResult {
  if ('json' in answer) {
    const structuredContent = answer.json as Record<string, unknown>
    return {
      content: [{ type: 'text', text: JSON.stringify(structuredContent) }],
      structuredContent,
    }
  }
  if ('error' in answer) return failure(answer.error, answer.message)
  const count = answer.faults.length
  const sum = counted(count, 'invalid field')
  const shown = count > MOST_FAULTS ? `, the first ${MOST_FAULTS} are listed` : ''
  const message = `${sum}${shown}${tool.writes ? '. Nothing was saved' : ''}.`
  return failure('invalid_request', message, { fields: answer.faults.slice(0, MOST_FAULTS) })
}

/** A refusal, as text alone: what an official client gets structured must keep the output schema. */
function failure(error: string, message: string, more: More = {}): CallToolResult {
  return {
    isError: true,
    content: [{ type: 'text', text: JSON.stringify({ error, message, ...more }) }],
  }
}

/** The error for a token without the required scope. */
export function scopeMessage(required_scope: string): string {
  return `This tool requires an access token with the scope ${required_scope}.`
}

function lacking(required_scope: string): CallToolResult {
  return failure('insufficient_scope', scopeMessage(required_scope), { required_scope })
}

function termsFirst({ config }: World): CallToolResult {
  const acceptance_url = `${config.base_url}/dashboard/terms/`
  const message = `Nothing was saved. The seller must first accept the seller terms at ${acceptance_url}`
  return failure('terms_not_accepted', message, { acceptance_url })
}
