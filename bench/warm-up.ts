/** V8 compiles what a load runs during its first ten seconds or more. */
const MAX_ROUNDS = 12
/** A rate that is less than 5 % above the best one has not risen. */
const RISEN = 1.05
const STEADY_ROUNDS = 2

/**
 * Repeats a round of load until two in a row have not raised the rate (requests per second), so
 * that what is measured next is compiled code. One low round does not end it.
 */
export function warmUp(round: () => { rate: number }): void {
  let best = 0
  let steady = 0
  for (let rounds = 0; rounds < MAX_ROUNDS && steady < STEADY_ROUNDS; rounds++) {
    const { rate } = round()
    steady = rate > best * RISEN ? 0 : steady + 1
    best = Math.max(best, rate)
  }
}
