import { IncomingMessage, ServerResponse } from 'node:http'
import { Socket } from 'node:net'

/**
 * How many objects of a class V8 watches before it fixes how many properties each has space for.
 */
const WATCHED = 7

/**
 * Has V8 fix the size of request and response objects while it sees all of their properties. If the
 * garbage collector runs between the sixth and the seventh object, V8 plans no space for
 * properties: it then keeps those of each object in a hash table for as long as the process runs,
 * and requests take half as long again (decision 149).
 */
export function fixRequestShapes(): void {
  const socket = new Socket()
  Array.from({ length: WATCHED }, () => new ServerResponse(new IncomingMessage(socket)))
}
