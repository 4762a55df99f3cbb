import { ask, type StripeParts } from './client.ts'
import * as requests from './requests.ts'

/** An object that a request created at Stripe; its metadata contains our key. */
export interface Made {
  id: string
  metadata?: Record<string, string> | null
}

/** How a kind of request is sent, read, and searched for, newest first. */
export interface Calls<Result extends Made> {
  create(request: Pick<requests.Request, 'refusals'>): Promise<Result>
  retrieve(id: string): Promise<Result>
  list(): AsyncIterable<Result>
}

/**
 * Sends a request under a key and ensures that it is executed once. Stripe stores a key for a day,
 * our record is permanent: a known request is read, or searched for by its key in Stripe's records,
 * and only sent again if it never arrived.
 */
export async function once<Result extends Made>(
  parts: Pick<StripeParts, 'db'>,
  now: Date,
  requested: { key: string; kind: requests.RequestKind; body: object },
  calls: Calls<Result>,
): Promise<Result> {
  return await make(parts, await requests.begin(parts.db, now, requested), calls)
}

/** Sends a recorded request, unless it was sent before. */
export async function make<Result extends Made>(
  { db }: Pick<StripeParts, 'db'>,
  request: requests.BegunRequest,
  calls: Calls<Result>,
): Promise<Result> {
  const known = request.is_new ? undefined : await find({ db }, request, calls)
  if (known) return known
  const made = await ask(() => calls.create(request))
  await requests.answered(db, request.key, made.id)
  return made
}

/** The object that a sent request created; undefined if Stripe has none. */
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
 * Serializes requests with the same key within this process. Between processes, Stripe refuses the
 * second while the first is running.
 */
export function serialize<Result>(key: string, work: () => Promise<Result>): Promise<Result> {
  const mine = (queues.get(key) ?? Promise.resolve()).then(work, work)
  queues.set(key, mine)
  const leave = () => {
    if (queues.get(key) === mine) queues.delete(key)
  }
  mine.then(leave, leave)
  return mine
}
