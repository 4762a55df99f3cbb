import { z } from 'zod'
import type * as apps from '#domain/apps'
import type { AgentScope } from '#domain/grants'
import type { World } from '#flows/world'
import type { ActorOf } from '#platform/audit'
import type { FieldFault } from '#platform/problem'

/** What a tool answers: its result, or why nothing was done. */
export type ToolAnswer =
  | { json: object }
  | { faults: FieldFault[] }
  | { error: string; message: string }

/** A call whose arguments have kept the row's schema. */
export interface ToolCall<Input = Record<string, unknown>> {
  world: World
  /** The app that `app_slug` names, the caller's own; absent where a tool takes none. */
  app?: apps.App
  input: Input
  actor: ActorOf<'seller' | 'agent'>
  /** True where the caller wants to see what would happen, and nothing saved. */
  dry_run: boolean
}

/** One tool of the agent endpoint: all that the protocol, a reader and an agent need to know of it. */
export interface Tool {
  name: string
  title: string
  /** Written for an agent: what it does, what it needs, what cannot be undone. */
  description: string
  /** The scope that a token must carry; `any` of the four for the tools that find things. */
  scope: AgentScope | 'any'
  writes: boolean
  /** Replaces or ends something that was there. */
  destructive: boolean
  /** The same call twice leaves what one call leaves. */
  idempotent: boolean
  /** Every argument, closed: what is not named here is refused. */
  input: z.ZodObject
  output: z.ZodObject
  run(call: ToolCall): Promise<ToolAnswer>
}

const AppSlug = z.string().min(1).max(63).describe('The `slug` of the app, from list_apps.')

const DryRun = z
  .boolean()
  .optional()
  .describe('If true, returns what the call would change and remove, and saves nothing.')

/**
 * Writes the row of a tool that works on one app; the types of its input follow from its schema.
 * `input` holds the tool's own arguments: `app_slug` comes in front of them here, and after them,
 * where the tool writes, `dry_run`.
 */
export function tool<Input extends z.ZodObject, Output extends z.ZodObject>(
  row: Omit<Tool, 'input' | 'output' | 'run'> & {
    input: Input
    output: Output
    run(
      call: ToolCall<z.output<Input>> & { app: apps.App },
    ): Promise<{ json: z.input<Output> } | Exclude<ToolAnswer, { json: object }>>
  },
): Tool {
  const input = z.strictObject({
    app_slug: AppSlug,
    ...row.input.shape,
    ...(row.writes ? { dry_run: DryRun } : {}),
  })
  return { ...row, input } as unknown as Tool
}
