import { ask, type StripeParts } from './client.ts'
import * as requests from './requests.ts'

/** What Stripe makes of a request; our key is among its metadata. */
export interface Made {
  id: string
  metadata?: Record<string, string> | null
}

/** How a kind of request is sent, read again, and looked for among its like, the latest first. */
export interface Calls<Result extends Made> {
  create(): Promise<Result>
  retrieve(id: string): Promise<Result>
  list(): AsyncIterable<Result>
}

/**
 * Asks for something under a key and makes sure that it happens once. Stripe keeps a key for a day;
 * our record of it is kept for good: what was asked before is read, or looked for by the key among
 * Stripe's own records, and sent again only where it never arrived.
 */
export async function once<Result extends Made>(
  parts: Pick<StripeParts, 'db'>,
  now: Date,
  asked: { key: string; kind: requests.RequestKind; body: object },
  calls: Calls<Result>,
): Promise<Result> {
  return await make(parts, await requests.begin(parts.db, now, asked), calls)
}

/** Sends a request that is on record, unless it was sent before. */
export async function make<Result extends Made>(
  { db }: Pick<StripeParts, 'db'>,
  request: requests.BegunRequest,
  calls: Calls<Result>,
): Promise<Result> {
  const known = request.is_new ? undefined : await find({ db }, request, calls)
  if (known) return known
  const made = await ask(() => calls.create())
  await requests.answered(db, request.key, made.id)
  return made
}

/** What came of a request that was sent, or undefined where Stripe has nothing of it. */
export async function find<Result extends Made>(
  { db }: Pick<StripeParts, 'db'>,
  { key, object_id }: Pick<requests.Request, 'key' | 'object_id'>,
  calls: Pick<Calls<Result>, 'retrieve' | 'list'>,
): Promise<Result | undefined> {
  if (object_id !== null) return await ask(() => calls.retrieve(object_id))
  const found = await ask(async () => {
    for await (const each of calls.list()) {
      if (each.metadata?.key === key) return each
    }
    return undefined
  })
  if (found) await requests.answered(db, key, found.id)
  return found
}

const queues = new Map<string, Promise<unknown>>()

/**
 * Lets requests under one key wait for each other in this process. Between processes Stripe itself
 * refuses the second while the first is under way.
 */
export function inTurn<Result>(key: string, work: () => Promise<Result>): Promise<Result> {
  const mine = (queues.get(key) ?? Promise.resolve()).then(work, work)
  queues.set(key, mine)
  const leave = () => {
    if (queues.get(key) === mine) queues.delete(key)
  }
  mine.then(leave, leave)
  return mine
}
