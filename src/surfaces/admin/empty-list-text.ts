import { isPermitted, type StaffPermission, type StaffRole } from '#domain/identity'
import { allOf, capitalized } from '#platform/text'

/** The text of an empty page: which of these items appear there for a role. */
export function emptyListText(
  role: StaffRole,
  items: readonly (readonly [noun: string, needs: StaffPermission])[],
): string {
  const nouns = items.filter(([, needs]) => isPermitted(role, needs)).map(([noun]) => noun)
  return `${capitalized(allOf(nouns))} appear here.`
}
