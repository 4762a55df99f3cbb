/**
 * The sandbox processor: the outside world, simulated. It implements the processor port, and
 * moves no money.
 *
 * Knows the test cards and test bank accounts and what each does, its own pages (a card is entered,
 * a payment confirmed, a card replaced, a bank named), every request for money, and the events that
 * it will report. Owns the schema `sandbox`; its charges, refunds and payouts are what the books of
 * the service are compared with. Promises: one key charges, refunds or pays out once,
 * and of a card or account number nothing is kept but the last four digits and a keyed hash.
 */
import type { FastifyInstance } from 'fastify'
import type { Processor } from '#domain/payments'
import type { SandboxPageOptions } from './answers.ts'
import { openControls, type SandboxControls } from './controls.ts'
import { openProcessor } from './processor.ts'
import { declareRoutes } from './routes.ts'

export { BEHAVIORS, type Behavior, type BehaviourName, TEST_CARDS } from './cards.ts'

/** The processor, the pages that belong to it, and what can be made to happen in test mode. */
export interface Sandbox extends Processor, SandboxControls {
  /** Declares its pages under `/sandbox`. */
  declareRoutes(app: FastifyInstance): void
}

/** Opens the sandbox over its own tables, which the migrations have made. */
export function openSandbox(options: SandboxPageOptions): Sandbox {
  return {
    ...openProcessor(options),
    ...openControls(options),
    declareRoutes: (app) => declareRoutes(app, options),
  }
}
