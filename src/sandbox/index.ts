/**
 * The sandbox: a simulated processor behind the processor port. It moves no money. It implements
 * test cards and test bank accounts with their behavior, its own pages (card entry, authentication,
 * billing portal, onboarding), charge requests, and scheduled events. It owns the schema `sandbox`,
 * whose charges, refunds and payouts are compared with the service's books. It guarantees that one
 * key charges, refunds or pays out once, and that only the last four digits and a keyed hash of
 * card and account numbers are stored.
 */
import type { FastifyInstance } from 'fastify'
import type { Processor } from '#domain/payments'
import { openControls, type SandboxControls } from './controls.ts'
import type { SandboxPageOptions } from './page-responses.ts'
import { openProcessor } from './processor.ts'
import { declareRoutes } from './routes.ts'

export { BEHAVIORS, type Behavior, type BehaviorName, TEST_CARDS } from './cards.ts'

/** The processor, its pages, and its test mode controls. */
export interface Sandbox extends Processor, SandboxControls {
  /** Registers its pages under `/sandbox`. */
  declareRoutes(app: FastifyInstance): void
}

/** Opens the sandbox over its tables, which the migrations created. */
export function openSandbox(options: SandboxPageOptions): Sandbox {
  return {
    ...openProcessor(options),
    ...openControls(options),
    declareRoutes: (app) => declareRoutes(app, options),
  }
}
