import { isDeepStrictEqual } from 'node:util'

/** Begins the names of the hidden fields with what was saved when a form was opened. */
export const OPENED = 'opened_'

/**
 * The fields that a form changes. The others are left as they are now: an agent or another member
 * may have changed them since the page was opened.
 */
export function changesOf<Entered extends object>(
  opened: Entered,
  entered: Entered,
): Partial<Entered> {
  const before = new Map(Object.entries(opened))
  const isChanged = ([name, value]: [string, unknown]) =>
    !isDeepStrictEqual(value, before.get(name))
  return Object.fromEntries(Object.entries(entered).filter(isChanged)) as Partial<Entered>
}
