/** Checks and writes the changes of a file, in an order in which each call finds what it needs. */
import type { CallTool } from '../agent/mcp.ts'
import { CliError, EXIT, type InvalidField } from '../exit.ts'
import {
  callsFor,
  descriptionCalls,
  featuresCall,
  type PlannedCall,
  versionsCall,
  withNewIds,
} from './plan.ts'
import type { AppState } from './state.ts'

/** What a push needs: how to call, which app, its state, and the state of the file. */
export interface Writer {
  call: CallTool
  app_slug: string
  remote: AppState
  wanted: AppState
}

/** What a tool changed, or would change. */
export interface Receipt {
  tool: string
  changed: { path: string; before: unknown; after: unknown }[]
  removed: { kind: string; id: string | null; name: string }[]
  dead_buy_links: string[]
  warnings: string[]
  audit_id: string | null
}

interface WriteResult extends Omit<Receipt, 'tool' | 'dead_buy_links' | 'warnings'> {
  dead_buy_links?: string[]
  warnings?: string[]
  versions?: { product_public_id: string; name: string }[]
}

/** A call, and what it would change. */
export interface Rehearsed {
  call: PlannedCall
  receipt: Receipt
}

/** What each call would change. Throws CliError with every fault of all of them. */
export async function rehearse(writer: Writer): Promise<Rehearsed[]> {
  const { remote, wanted } = writer
  const [first] = remote.versions
  const calls = [
    versionsCall(remote, wanted),
    ...descriptionCalls(remote, wanted.versions, first?.product_id),
    ...callsFor(remote, wanted),
    featuresCall(remote, wanted),
  ].filter((call) => call !== undefined)
  const rehearsed: Rehearsed[] = []
  const fields: InvalidField[] = []
  for (const call of calls) {
    try {
      rehearsed.push({ call, receipt: (await run(writer, call, true)).receipt })
    } catch (error) {
      const isInvalid = error instanceof CliError && error.code === 'invalid_request'
      if (!isInvalid || error.fields.length === 0) throw error
      fields.push(...error.fields.map((field) => ({ ...field, path: inFile(call, field.path) })))
    }
  }
  if (fields.length === 0) return rehearsed
  throw new CliError('invalid_request', 'Nothing was saved.', EXIT.refused, { fields })
}

/**
 * Whether the service has what the file asks for in these parts, although the texts differ: it
 * stores HTML and spaces in a form of its own.
 */
export function isWritten(parts: readonly string[], rehearsed: readonly Rehearsed[]): boolean {
  return parts.every((part) => {
    const [, product_id, field] = /^(prod_\w+)\.(description|features)$/.exec(part) ?? []
    const tool = TOOLS[field ?? part]
    const own = rehearsed.filter(({ call }) => {
      return call.tool === tool && (!call.args.product_id || call.args.product_id === product_id)
    })
    return own.length > 0 && own.every(({ receipt }) => receipt.changed.length === 0)
  })
}

/** Which tool writes a part. */
const TOOLS: Record<string, string> = {
  listing: 'update_app_listing',
  sections: 'replace_detail_sections',
  versions: 'replace_versions',
  features: 'replace_feature_table',
  description: 'update_product_description',
}

/** Where the field of a call is in the file. */
function inFile({ tool, args }: PlannedCall, path: string): string {
  if (tool === 'update_app_listing') return `listing.${path}`
  return tool === 'update_product_description' ? `${path} of ${args.product_id}` : path
}

/** Writes all changes: plans first, because the others may name them. */
export async function writeAll(writer: Writer, done: (receipt: Receipt) => void): Promise<void> {
  const { remote } = writer
  let { wanted } = writer
  const versions = versionsCall(remote, wanted)
  if (versions) {
    const { receipt, result } = await run(writer, versions, false)
    done(receipt)
    const written = (result.versions ?? []).map((each) => {
      return { id: each.product_public_id, name: each.name }
    })
    wanted = withNewIds(wanted, written)
  }
  const features = featuresCall(remote, wanted)
  const calls = [
    ...descriptionCalls(remote, wanted.versions),
    ...callsFor(remote, wanted),
    ...(features ? [features] : []),
  ]
  for (const call of calls) done((await run(writer, call, false)).receipt)
}

async function run({ call, app_slug }: Writer, { tool, args }: PlannedCall, dry_run: boolean) {
  const result = await call<WriteResult>(tool, { app_slug, ...args, dry_run })
  const { changed, removed, audit_id, dead_buy_links = [], warnings = [] } = result
  const receipt: Receipt = { tool, changed, removed, dead_buy_links, warnings, audit_id }
  return { receipt, result }
}
