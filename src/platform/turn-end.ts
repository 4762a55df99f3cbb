/** Does a piece of work at the end of the current turn of the event loop. */
export type AtTurnEnd = (work: () => void) => void

/**
 * Gathers work until the event loop has read everything that arrived in this turn, and then does it
 * in order. Work must not throw. Answers that are sent one after the other wake a waiting receiver
 * once; between two requests, each would wake it again, which costs as much as the answer.
 */
export function openTurnEnd(): AtTurnEnd {
  let gathered: (() => void)[] = []
  const doAll = () => {
    const all = gathered
    gathered = []
    for (const work of all) work()
  }
  return (work) => {
    if (gathered.push(work) === 1) setImmediate(doAll)
  }
}
