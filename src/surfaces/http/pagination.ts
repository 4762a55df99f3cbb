import type { FastifyRequest } from 'fastify'
import { withQuery } from '#http/address'
import { queryOf, readNumber } from '#http/input'

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

/** A page of rows, and the addresses of the page after it and of the first one. */
export interface ListPage<Row> {
  rows: Row[]
  older: string | undefined
  newest: string | undefined
}

/**
 * A page of one of several lists on a page, each in the panel with its ID. The address names one
 * list and a place in it; the others begin with their first rows.
 */
export async function readPanel<Row>(
  request: FastifyRequest,
  panel: {
    id: string
    path: string
    size: number
    /** The rows from a place that `belowOf` returned; the first rows without one. */
    read(page: { below: string | undefined; limit: number }): Promise<Row[]>
    belowOf(row: NoInfer<Row>): string
  },
): Promise<ListPage<Row>> {
  const { id, path, size, belowOf } = panel
  const below = queryOf(request, 'list') === id ? queryOf(request, 'below') : undefined
  const found = await panel.read({ below, limit: size + 1 })
  const is_first = below === undefined
  const page = pageOf(found, { size, path, query: { list: id }, is_first, belowOf })
  return {
    rows: page.rows,
    older: page.older && `${page.older}#${id}`,
    newest: page.newest && `${path}#${id}`,
  }
}

/** Like `readPanel`, for a list that is read by how many rows precede the page. */
export async function readPanelByOffset<Row>(
  request: FastifyRequest,
  panel: {
    id: string
    path: string
    size: number
    read(page: { offset: number; limit: number }): Promise<Row[]>
  },
): Promise<ListPage<Row>> {
  let offset = 0
  return await readPanel(request, {
    ...panel,
    read: ({ below, limit }) => {
      offset = readNumber(below) ?? 0
      return panel.read({ offset, limit })
    },
    belowOf: () => String(offset + panel.size),
  })
}
