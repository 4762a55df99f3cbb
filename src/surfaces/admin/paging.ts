import type { Id, IdPrefix } from '#platform/ids'
import { readId } from '#platform/ids'

/** How many entries a list of the admin area has on a page. */
export const ON_A_PAGE = 50

/** A place in a list that is sorted by creation. */
interface CreatedPlace<Prefix extends IdPrefix> {
  created_at: Date
  id: Id<Prefix>
}

/** The place in an address, such as `1763812800000-sel_…`, if it is one. */
export function readCreatedPlace<Prefix extends IdPrefix>(
  prefix: Prefix,
  text: string | undefined,
): CreatedPlace<Prefix> | undefined {
  const [, at, given] = /^(\d{1,14})-(\w+)$/.exec(text ?? '') ?? []
  const id = readId(prefix, given)
  return at && id ? { created_at: new Date(Number(at)), id } : undefined
}

/**
 * A page of what was found, of which one more was asked for, with the addresses of the page after it
 * and of the first one.
 */
export function pageOf<Item extends { created_at: Date; id: string }>(
  found: Item[],
  facts: { path: string; search: Record<string, string | undefined>; is_first: boolean },
): { items: Item[]; older: string | undefined; newest: string | undefined } {
  const items = found.slice(0, ON_A_PAGE)
  const last = items.at(-1)
  const { path, search } = facts
  return {
    items,
    older:
      found.length > ON_A_PAGE && last
        ? addressOf(path, { ...search, below: `${last.created_at.getTime()}-${last.id}` })
        : undefined,
    newest: facts.is_first ? undefined : addressOf(path, search),
  }
}

/** An address with a query; empty and undefined values are left out. */
export function addressOf(path: string, query: Record<string, string | undefined>): string {
  const given = Object.entries(query).filter((pair): pair is [string, string] => Boolean(pair[1]))
  return given.length > 0 ? `${path}?${new URLSearchParams(given)}` : path
}
