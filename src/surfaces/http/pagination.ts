import type { FastifyRequest } from 'fastify'
import { withQuery } from '#http/address'
import { queryOf } from '#http/input'

/** Which page of a list is shown, and its rows. */
export interface Paging {
  page: number
  last: number
  total: number
  limit: number
  offset: number
}

/** The page in `?page=`, or the nearest that exists. */
export function pagingOf(
  request: FastifyRequest,
  { total, size }: { total: number; size: number },
): Paging {
  const last = Math.max(1, Math.ceil(total / size))
  const requested_page = Math.floor(Number(queryOf(request, 'page'))) || 1
  const page = Math.min(last, Math.max(1, requested_page))
  return { page, last, total, limit: size, offset: (page - 1) * size }
}

/**
 * A page of numbered rows, the latest first, of which one more than `size` was read; `older` is the
 * number below which the next page begins.
 */
export function pageBelow<Row extends { number: number }>(
  found: readonly Row[],
  size: number,
): { rows: Row[]; older: number | undefined } {
  const rows = found.slice(0, size)
  return { rows, older: found.length > size ? rows.at(-1)?.number : undefined }
}

/**
 * A page of rows, of which one more than `size` was read, with the addresses of the page after it
 * and of the first one; each is undefined where it would lead nowhere.
 */
export function pageOf<Row>(
  found: readonly Row[],
  list: {
    size: number
    path: string
    /** The search and the filters in the address. */
    query?: Record<string, string | undefined>
    is_first: boolean
    /** Where the page after this row begins, as the parameter `below`. */
    belowOf(row: NoInfer<Row>): string
  },
): { rows: Row[]; older: string | undefined; newest: string | undefined } {
  const { size, path, query = {} } = list
  const rows = found.slice(0, size)
  const last = found.length > size ? rows.at(-1) : undefined
  return {
    rows,
    older: last && withQuery(path, { ...query, below: list.belowOf(last) }),
    newest: list.is_first ? undefined : withQuery(path, query),
  }
}
