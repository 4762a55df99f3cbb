import type { z } from 'zod'
import type { FieldFault } from '#platform/problem'

// Each round fixes what the one before revealed: first an invalid entry, then its fields.
const MAX_ROUNDS = 6

const PLACEHOLDERS: Record<string, unknown> = { string: '', array: [], object: {}, boolean: false }

/**
 * Replaces each argument of the wrong type with an empty one, so that a dry run can also find
 * errors in the content. Undefined if the arguments still do not match the schema.
 */
export function withPlaceholders(
  schema: z.ZodObject,
  args: Record<string, unknown>,
): Record<string, unknown> | undefined {
  const copy = structuredClone(args)
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const parsed = schema.safeParse(copy)
    if (parsed.success) return parsed.data
    for (const issue of parsed.error.issues) replaceInvalid(copy, issue)
  }
  return undefined
}

/** Schema errors, and content errors in fields without a schema error. */
export function mergeFaults(shape: FieldFault[], rules: FieldFault[]): FieldFault[] {
  const isWithin = (path: string, outer: string) =>
    path === outer || path.startsWith(`${outer}.`) || path.startsWith(`${outer}[`)
  return [
    ...shape,
    ...rules.filter(({ path }) => !shape.some((outer) => isWithin(path, outer.path))),
  ]
}

function replaceInvalid(root: Record<string, unknown>, issue: z.core.$ZodIssue): void {
  const holder = (path: PropertyKey[]) =>
    path.reduce<unknown>((value, part) => (value as Record<PropertyKey, unknown>)?.[part], root)
  if (issue.code === 'unrecognized_keys') {
    const target = holder(issue.path) as Record<string, unknown>
    for (const key of issue.keys) delete target[key]
    return
  }
  const last = issue.path.at(-1)
  const target = holder(issue.path.slice(0, -1)) as Record<PropertyKey, unknown> | undefined
  if (last === undefined || !target) return
  const placeholder = issue.code === 'invalid_type' ? PLACEHOLDERS[issue.expected] : undefined
  if (placeholder === undefined) delete target[last]
  else target[last] = structuredClone(placeholder)
}
