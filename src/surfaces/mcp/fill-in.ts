import type { z } from 'zod'
import type { FieldFault } from '#platform/problem'

// Each round mends what came to light by the one before: an entry that is none, then its fields.
const ROUNDS = 6

const PLACEHOLDERS: Record<string, unknown> = { string: '', array: [], object: {}, boolean: false }

/**
 * Reads arguments that do not keep their schema as well as can be: each value of a wrong shape gives
 * way to an empty one. So a caller is told the faults of shape together with all others.
 */
export function fillIn(
  schema: z.ZodObject,
  args: Record<string, unknown>,
): Record<string, unknown> | undefined {
  const copy = structuredClone(args)
  for (let round = 0; round < ROUNDS; round++) {
    const parsed = schema.safeParse(copy)
    if (parsed.success) return parsed.data
    for (const issue of parsed.error.issues) fillInAt(copy, issue)
  }
  return undefined
}

/** The faults of shape, and of those that the rules found all that do not lie within them. */
export function mergeFaults(shape: FieldFault[], rules: FieldFault[]): FieldFault[] {
  const isWithin = (path: string, outer: string) =>
    path === outer || path.startsWith(`${outer}.`) || path.startsWith(`${outer}[`)
  return [
    ...shape,
    ...rules.filter(({ path }) => !shape.some((outer) => isWithin(path, outer.path))),
  ]
}

function fillInAt(root: Record<string, unknown>, issue: z.core.$ZodIssue): void {
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
