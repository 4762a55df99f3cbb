import { callStripe, type StripeParts } from './client.ts'
import * as requests from './requests.ts'

/** An object that a request created at Stripe; its metadata contains our key. */
export interface CreatedObject {
  id: string
  metadata?: Record<string, string> | null
}

/** How a kind of request is sent, read, and searched for, newest first. */
export interface RequestCalls<Result extends CreatedObject> {
  create(request: Pick<requests.Request, 'refusals'>): Promise<Result>
  retrieve(id: string): Promise<Result>
  list(): AsyncIterable<Result>
}

/**
 * Sends a request under a key and ensures that it is executed once. Stripe stores a key for a day,
 * our record is permanent: a known request is read, or searched for by its key in Stripe's records,
 * and only sent again if it never arrived.
 */
export async function sendOnce<Result extends CreatedObject>(
  parts: Pick<StripeParts, 'db'>,
  now: Date,
  requested: { key: string; kind: requests.RequestKind; body: object },
  calls: RequestCalls<Result>,
): Promise<Result> {
  return await sendRecorded(parts, await requests.record(parts.db, now, requested), calls)
}

/** Sends a recorded request, unless it was sent before. */
export async function sendRecorded<Result extends CreatedObject>(
  { db }: Pick<StripeParts, 'db'>,
  request: requests.StoredRequest,
  calls: RequestCalls<Result>,
): Promise<Result> {
  const known = request.is_new ? undefined : await findCreated({ db }, request, calls)
  if (known) return known
  const made = await callStripe(() => calls.create(request))
  await requests.recordResult(db, request.key, made.id)
  return made
}

/** The object that a sent request created; undefined if Stripe has none. */
export async function findCreated<Result extends CreatedObject>(
  { db }: Pick<StripeParts, 'db'>,
  { key, object_id }: Pick<requests.Request, 'key' | 'object_id'>,
  calls: Pick<RequestCalls<Result>, 'retrieve' | 'list'>,
): Promise<Result | undefined> {
  if (object_id !== null) return await callStripe(() => calls.retrieve(object_id))
  const found = await callStripe(async () => {
    for await (const each of calls.list()) {
      if (each.metadata?.key === key) return each
    }
    return undefined
  })
  if (found) await requests.recordResult(db, key, found.id)
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
