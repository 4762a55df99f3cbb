/**
 * How much the tests that could go on forever try: enough in `npm test` to meet a fault soon, and
 * far more in `npm run test:all`, which sets `TEST_BUDGET=large`.
 */
const LARGE = process.env.TEST_BUDGET === 'large'
const IS_SECOND = process.env.TEST_ENGINE === 'second'

/** For tests that try for longer than a test may take: a quarter of an hour, in milliseconds. */
export const LONG = { timeout: 15 * 60_000 }

/** Calls of each fuzz test. */
export const FUZZ_CALLS = LARGE ? 20_000 : 1_000

/** Seeded months of trade; the engine that comes second repeats some of them. */
export const SEEDS = Number(process.env.SIMULATE_SEEDS ?? (LARGE ? (IS_SECOND ? 200 : 2_000) : 60))

/** Planted faults that the simulation must notice. */
export const PLANTED_FAULTS = LARGE ? Number.POSITIVE_INFINITY : 10

/** Cases of the money rules against exact fractions. */
export const MONEY_CASES = LARGE ? 1_000_000 : 100_000

/** A flow is killed at every step that a multiple of this leads to. */
export const KILL_STRIDE = LARGE ? 1 : 5

/** Seeded orders in which a plan change and purchases meet. */
export const INTERLEAVINGS = LARGE ? 500 : 100

/** Requests that nothing is kept of, sent in a row. */
export const REQUESTS = LARGE ? 1_000 : 200

/** Calls of the agent endpoint over HTTP that are made up. */
export const AGENT_PAYLOADS = LARGE ? 5_000 : 300

/** Options of a browser test whose path `npm test` takes elsewhere with another browser or card. */
export const FULL_ONLY = LARGE ? {} : { skip: 'npm run test:all runs it' }

/** Of a table of cards that one sentence answers, each such-and-such is tried in the browser. */
export const CARD_STRIDE = LARGE ? 1 : 4

/** Whether each page is examined at every width in both color schemes, or once in each. */
export const EVERY_VIEW = LARGE
