import type { FastifyRequest } from 'fastify'
import { queryOf } from '#http/input'
import { pageOf } from '#http/pagination'
import type { CreatedCursor } from '#platform/created-list'
import { type Id, type IdPrefix, readId } from '#platform/ids'

/** The number of entries on a page of an admin list. */
export const ON_A_PAGE = 50

/** The search and the filter in the address of a list, and the page of results. */
export interface SearchedList<State, Item> {
  q: string
  state: State | undefined
  items: Item[]
  newest: string | undefined
  older: string | undefined
}

/** Reads a page of a list, newest first, by the search and the state in the address. */
export async function readSearchedList<
  Prefix extends IdPrefix,
  State extends string,
  Item extends CreatedCursor<Id<Prefix>>,
>(
  request: FastifyRequest,
  list: {
    path: string
    /** Of the ids of its entries. */
    prefix: Prefix
    states: readonly State[]
    read(query: {
      q: string
      state: State | undefined
      below: CreatedCursor<Id<Prefix>> | undefined
      limit: number
    }): Promise<Item[]>
  },
): Promise<SearchedList<State, Item>> {
  const q = (queryOf(request, 'q') ?? '').trim().replaceAll('\0', '').slice(0, 200)
  const state = list.states.find((each) => each === queryOf(request, 'state'))
  const cursor = readCursor(list.prefix, request)
  const below = cursor && { created_at: cursor.at, id: cursor.id }
  const found = await list.read({ q, state, below, limit: ON_A_PAGE + 1 })
  const { rows: items, ...addresses } = pageOf(found, {
    size: ON_A_PAGE,
    path: list.path,
    query: { q, state },
    is_first: !below,
    belowOf: ({ created_at, id }) => cursorText(created_at, id),
  })
  return { q, state, items, ...addresses }
}

/** The place of an entry in a list by time, as a query parameter: `1763812800000-sel_…`. */
export function cursorText(at: Date, id: string): string {
  return `${at.getTime()}-${id}`
}

/** The entry below which a page of a list begins; undefined for the first page. */
export function readPlace(text: string | undefined): CreatedCursor<string> | undefined {
  const [, at, id] = /^(\d{1,14})-(\w{1,40})$/.exec(text ?? '') ?? []
  return at && id ? { created_at: new Date(Number(at)), id } : undefined
}

/** The same, of a list whose IDs have one prefix. */
export function readCursor<Prefix extends IdPrefix>(
  prefix: Prefix,
  request: FastifyRequest,
): { at: Date; id: Id<Prefix> } | undefined {
  const place = readPlace(queryOf(request, 'below'))
  const id = readId(prefix, place?.id)
  return place && id ? { at: place.created_at, id } : undefined
}
