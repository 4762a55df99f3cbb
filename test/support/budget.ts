/**
 * The effort of tests without a natural end: enough to find a fault early, and far more in
 * `npm run test:all`, which sets `TEST_BUDGET=large`.
 */
const LARGE = process.env.TEST_BUDGET === 'large'
const IS_SECOND = process.env.TEST_ENGINE === 'second'

/** For tests that run longer than the default timeout: a quarter of an hour, in milliseconds. */
export const LONG = { timeout: 15 * 60_000 }

/** Calls of each fuzz test. */
export const FUZZ_CALLS = LARGE ? 20_000 : 1_000

/** Seeded months of trade; the second engine repeats some of them. */
export const SEEDS = Number(process.env.SIMULATE_SEEDS ?? (LARGE ? (IS_SECOND ? 200 : 2_000) : 16))

/** Planted faults that the simulation must find. */
export const PLANTED_FAULTS = LARGE ? Number.POSITIVE_INFINITY : 1

/** Groups of buyers whose files are imported in every order. */
export const IMPORT_ORDERS = LARGE ? 8 : 1

/** Cases of the money rules against exact fractions. */
export const MONEY_CASES = LARGE ? 1_000_000 : 100_000

/** A flow is killed at every step that is a multiple of this. */
export const KILL_STRIDE = LARGE ? 1 : 7

/** Seeded interleavings of a plan change and purchases. */
export const INTERLEAVINGS = LARGE ? 500 : 100

/** Requests in a row that store nothing. */
export const REQUESTS = LARGE ? 1_000 : 200

/** Generated calls of the agent endpoint over HTTP. */
export const AGENT_PAYLOADS = LARGE ? 5_000 : 300

/** Options of a slow test, for example of a path that `npm test` covers with another browser. */
export const FULL_ONLY = LARGE ? {} : { skip: 'npm run test:all runs it' }

/** Every how many-th card of a table with one message each is tried in the browser. */
export const CARD_STRIDE = LARGE ? 1 : 10

/** Every how many-th page is checked against the rules of accessibility. */
export const RULES_STRIDE = LARGE ? 1 : 3

/** Whether each page is checked at every width in both color schemes, or once in each. */
export const EVERY_VIEW = LARGE
