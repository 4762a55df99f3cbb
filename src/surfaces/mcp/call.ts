import { type CallToolResult, ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server'
import * as apps from '#domain/apps'
import type { Bearer } from '#domain/grants'
import * as sellers from '#domain/sellers'
import { owesTerms } from '#flows/seller'
import type { World } from '#flows/world'
import { faultsOf } from '#http/field-faults'
import { problemOf } from '#platform/http'
import { faultsOfNul, withoutNul } from '#platform/nul-characters'
import { type FieldFault, Problem } from '#platform/problem'
import { counted } from '#platform/text'
import { findOversizedLists } from './list-limits.ts'
import { mergeFaults, withPlaceholders } from './placeholders.ts'
import { missingScope, scopeMessage } from './scopes.ts'
import type { Tool, ToolAnswer } from './tool.ts'

/** The caller: its token, request and reported name. */
export interface Caller {
  bearer: Bearer
  request_id: string
  agent: string
}

/** At most this many invalid fields are listed. */
const MAX_FAULTS = 200

/** Further fields of a failed call, next to its code and message. */
interface FailureDetails {
  fields?: FieldFault[]
  required_scope?: string
  acceptance_url?: string
}

/**
 * Calls a tool (spec: Agent-management endpoint). Errors that the caller can fix are results with
 * `isError`; nothing was saved then.
 */
export async function callTool(
  world: World,
  caller: Caller,
  { tool, args }: { tool: Tool; args: Record<string, unknown> },
): Promise<CallToolResult> {
  const required_scope = missingScope(tool, caller.bearer.scopes)
  if (required_scope !== undefined) return insufficientScope(required_scope)
  const call = () => checkAndRun(world, caller, { tool, args })
  try {
    return await call().catch((error) => {
      // The app was transferred after the checks: checked again, it is unknown.
      if (error instanceof Problem && error.code === 'not_found') return call()
      throw error
    })
  } catch (error) {
    if (error instanceof Problem) return failure(error.code, `${error.message} Nothing was saved.`)
    const { request_id } = caller
    const problem = problemOf(error as Error)
    const message = `${problem.message}${tool.writes ? ` ${MAYBE_SAVED}` : ''}`
    if (problem.code === 'service_unavailable') {
      const { message: reason } = error as Error
      world.log.warn(
        { request_id, tool: tool.name, reason },
        'service unavailable; request refused',
      )
      return failure(problem.code, message)
    }
    world.log.error({ request_id, tool: tool.name, error }, 'unhandled error')
    const data = { error: problem.code, message, request_id }
    throw new ProtocolError(ProtocolErrorCode.InternalError, message, data)
  }
}

async function checkAndRun(
  world: World,
  caller: Caller,
  { tool, args }: { tool: Tool; args: Record<string, unknown> },
): Promise<CallToolResult> {
  const own = await ownApp(world, caller.bearer, args.app_slug)
  // First, because a caller who may not write has no terms to accept and nothing to correct.
  const refusal = own && tool.writes ? refusalOf(own.member) : undefined
  if (refusal) return resultOf(tool, refusal)
  const page = tool.writes ? await findTermsPage(world, caller.bearer, own?.app) : undefined
  if (page !== undefined) return termsNotAccepted(page)
  return resultOf(tool, await runTool(world, caller, { tool, args, own }))
}

/** The connection may have been lost with the answer to the commit, or after it. */
const MAYBE_SAVED = 'The change may have been saved: read the current state before you retry.'

async function runTool(
  world: World,
  { bearer, request_id, agent }: Caller,
  { tool, args, own }: { tool: Tool; args: Record<string, unknown>; own: OwnApp | undefined },
): Promise<ToolAnswer> {
  const actor = { kind: 'agent', user_id: bearer.user_id, request_id, agent } as const
  const run = async ({ app_slug, dry_run = false, ...input }: Input): Promise<ToolAnswer> => {
    const call = { world, input, actor, dry_run }
    if (app_slug === undefined) return await tool.run(call)
    // Another seller's app gets the same answer as one that does not exist.
    if (!own) return UNKNOWN_APP
    const { app } = own
    return await tool.run({ ...call, app, actor: { ...actor, seller_id: app.seller_id } })
  }
  const excess = findOversizedLists(args)
  if (excess.length > 0) return { faults: excess }
  const nul = faultsOfNul(args)
  const read = nul.length > 0 ? withoutNul(args) : args
  const parsed = tool.input.safeParse(read, { reportInput: true })
  if (parsed.success && nul.length === 0) return await run(parsed.data)
  const isUnknown = typeof args.app_slug === 'string' && !own
  const unknown = isUnknown ? [{ path: 'app_slug', message: UNKNOWN_APP.message }] : []
  const shape = mergeFaults(nul, parsed.success ? [] : faultsOf(parsed.error))
  const faults = mergeFaults(shape, unknown)
  const filled =
    tool.writes && faults.length <= MAX_FAULTS ? withPlaceholders(tool.input, read) : undefined
  if (!filled) return { faults }
  // A dry run with placeholders finds errors in the content too, so that all are reported at once.
  const dry_run = await run({ ...filled, dry_run: true })
  return { faults: mergeFaults(faults, 'faults' in dry_run ? dry_run.faults : []) }
}

interface OwnApp {
  app: apps.App
  member: sellers.Membership
}

/** The caller's app with a slug, and the caller as a member of its seller. */
async function ownApp(
  { db }: World,
  { user_id }: Bearer,
  slug: unknown,
): Promise<OwnApp | undefined> {
  const isReadable = typeof slug === 'string' && !slug.includes('\0')
  const app = isReadable ? await apps.findOwn(db, { slug, user_id }) : undefined
  const member = app && (await sellers.memberOf(db, { seller_id: app.seller_id, user_id }))
  return member && { app, member }
}

/** Why a member may not change apps, if so. */
function refusalOf(member: sellers.Membership): ToolAnswer | undefined {
  if (member.is_suspended) return suspendedSeller(member)
  // An agent acts for a member, and may do what the member's role may.
  return sellers.isAllowed(member.role, 'edit_apps') ? undefined : roleExcludes(member)
}

/**
 * The page on which the named app's seller, or the person's first seller, must accept the terms;
 * undefined if they have. A person without a seller accepts them by becoming one.
 */
async function findTermsPage(
  world: World,
  { user_id }: Caller['bearer'],
  app: apps.App | undefined,
): Promise<string | undefined> {
  const { db, config } = world
  const memberships = await sellers.membershipsOf(db, user_id)
  const [first] = app ? [app] : memberships
  if (first === undefined) return `${config.base_url}/dashboard/start/`
  if (!(await owesTerms(world, first.seller_id))) return undefined
  // A member of several sellers accepts for the seller of the app.
  const isNamed = app !== undefined && memberships.length > 1
  const page = `${config.base_url}/dashboard/terms/`
  return isNamed ? `${page}?return_to=/dashboard/apps/${app.slug}/` : page
}

function roleExcludes({ role, legal_name }: sellers.Membership): ToolAnswer {
  const roles = sellers.rolesWith('edit_apps').join(', ')
  const message = `The signed-in person's role at ${legal_name} is ${role}. Editing apps requires one of these roles: ${roles}. Nothing was saved.`
  return { error: 'role_not_allowed', message }
}

function suspendedSeller({ legal_name }: sellers.Membership): ToolAnswer {
  const message = `Purser suspended ${legal_name}. Its apps can be read but not changed. Nothing was saved.`
  return { error: 'seller_suspended', message }
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
  const shown = count > MAX_FAULTS ? `, the first ${MAX_FAULTS} are listed` : ''
  const message = `${sum}${shown}${tool.writes ? '. Nothing was saved' : ''}.`
  return failure('invalid_request', message, { fields: answer.faults.slice(0, MAX_FAULTS) })
}

/**
 * An error as text only, because official clients check structured content against the output
 * schema.
 */
function failure(error: string, message: string, more: FailureDetails = {}): CallToolResult {
  return {
    isError: true,
    content: [{ type: 'text', text: JSON.stringify({ error, message, ...more }) }],
  }
}

function insufficientScope(required_scope: string): CallToolResult {
  return failure('insufficient_scope', scopeMessage(required_scope), { required_scope })
}

function termsNotAccepted(acceptance_url: string): CallToolResult {
  const message = `Nothing was saved. The seller must first accept the seller terms at ${acceptance_url}`
  return failure('terms_not_accepted', message, { acceptance_url })
}
