import { callStripe, reportingRefusals, type StripeParts } from './client.ts'

/** The parameters of every list request. */
export interface PageRequest {
  created: { gte: number; lt: number }
  limit: number
  starting_after?: string
}

interface Page<Item> {
  data: Item[]
  has_more: boolean
}

/** The pages of a list: objects created from one time until before another, newest first. */
export async function* pagesOf<Item extends { id: string }>(
  parts: StripeParts,
  what: string,
  [from, before]: readonly [from: Date, before: Date],
  list: (request: PageRequest) => Promise<Page<Item>>,
): AsyncIterable<Item[]> {
  const seconds = (at: Date) => Math.ceil(at.getTime() / 1000)
  const created = { gte: seconds(from), lt: seconds(before) }
  let last: string | undefined
  do {
    const after = last ? { starting_after: last } : {}
    const page = await reportingRefusals(parts, `listing ${what}`, () =>
      callStripe(() => list({ created, limit: 100, ...after })),
    )
    yield page.data
    last = page.has_more ? page.data.at(-1)?.id : undefined
  } while (last)
}
