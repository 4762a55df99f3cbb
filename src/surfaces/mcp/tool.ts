import { z } from 'zod'
import type * as apps from '#domain/apps'
import type { AgentScope } from '#domain/grants'
import type { World } from '#flows/world'
import type { ActorOf } from '#platform/audit'
import type { FieldFault } from '#platform/problem'

/** The result of a tool, or why nothing was done. */
export type ToolAnswer =
  | { json: object }
  | { faults: FieldFault[] }
  | { error: string; message: string }

/** A call with arguments that match the tool's schema. */
export interface ToolCall<Input = Record<string, unknown>> {
  world: World
  /** The caller's app named by `app_slug`; absent for tools without one. */
  app?: apps.App
  input: Input
  actor: ActorOf<'seller' | 'agent'>
  /** True for a dry run: the result is computed, and nothing is saved. */
  dry_run: boolean
}

/** A tool of the agent endpoint: everything that the protocol and an agent need. */
export interface Tool {
  name: string
  title: string
  /** Written for an agent: what the tool does, what it needs, and what cannot be undone. */
  description: string
  /** The scope that a token needs; `any` of the four for discovery tools. */
  scope: AgentScope | 'any'
  writes: boolean
  /** True if it replaces or ends something. */
  destructive: boolean
  /** True if repeating a call changes nothing further. */
  idempotent: boolean
  /** The arguments; others are rejected. */
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
 * Defines a tool that works on one app; the types of its input follow from its schema. `input`
 * contains the tool's own arguments; `app_slug` is added first and, for tools that write, `dry_run`
 * last.
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
