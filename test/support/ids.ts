import type { Id, IdPrefix } from '#platform/ids'

/** A made-up id, `testId('usr_1')`; its type follows from its prefix. */
export function testId<Prefix extends IdPrefix>(text: `${Prefix}_${string}`): Id<Prefix> {
  return text as Id<Prefix>
}
