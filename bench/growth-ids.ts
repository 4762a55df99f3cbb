import type { Id, IdPrefix } from '#platform/ids'
import { testId } from '../test/support/ids.ts'

/** An id of the measured database, such as `usr_00…1`. Pages read it as an id. */
export function growthId<Prefix extends IdPrefix>(prefix: Prefix, n: number | string): Id<Prefix> {
  return testId(`${prefix}_${String(n).padStart(22, '0')}`)
}

/** The id of each row in SQL, from the number `n` or another expression. */
export function id(prefix: IdPrefix, n = 'n'): string {
  return `'${prefix}_' || lpad((${n})::text, 22, '0')`
}
