/**
 * The sandbox processor: the world outside, played. It stands where a payment processor does, and
 * moves no money.
 *
 * Knows the test cards and what each does, the pages where a card is entered and a payment is
 * confirmed, and every request for money. Owns the schema `sandbox`; its charges are the second
 * truth beside the service's own books. Promises: one key charges once, and of a card number
 * nothing is kept but the last four digits and a keyed hash.
 */
import type { FastifyInstance } from 'fastify'
import type { Processor } from '#domain/payments'
import { openProcessor } from './processor.ts'
import { declareRoutes, type PageOptions } from './routes.ts'

export { BEHAVIOURS, type Behaviour, type BehaviourName, TEST_CARDS } from './cards.ts'

/** The processor, and the pages that belong to it. */
export interface Sandbox extends Processor {
  /** Declares its pages under `/sandbox`. */
  declareRoutes(app: FastifyInstance): void
}

/** Opens the sandbox over its own tables, which the migrations have made. */
export function openSandbox(options: PageOptions): Sandbox {
  return {
    ...openProcessor(options),
    declareRoutes: (app) => declareRoutes(app, options),
  }
}
