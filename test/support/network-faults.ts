import * as payments from '#domain/payments'
import type { World } from '#flows/world'

/** Decides the fate of each call to the processor. */
export type CallFate = () => 'arrives' | 'is lost' | 'answer is lost'

/** Runs a call whose request or answer may be lost. */
export function callThrough(fateOf: CallFate) {
  return async <Answer>(ask: () => Promise<Answer>): Promise<Answer> => {
    const fate = fateOf()
    if (fate === 'is lost') throw new payments.ProcessorUnreachable(fate)
    const answer = await ask()
    if (fate === 'answer is lost') throw new payments.ProcessorUnreachable(fate)
    return answer
  }
}

/** A processor behind a network that loses requests and answers of charges. */
export function withCallFate(sandbox: World['processor'], fateOf: CallFate): World['processor'] {
  const through = callThrough(fateOf)
  return {
    ...sandbox,
    charge: (now, request) => through(() => sandbox.charge(now, request)),
    find: (key) => through(() => sandbox.find(key)),
    close: (now, key) => through(() => sandbox.close(now, key)),
  }
}

/** Loses three of ten requests, and three of ten answers. */
export function loseSomeCalls(draw: () => number): CallFate {
  return () => {
    const percent = draw()
    return percent < 30 ? 'is lost' : percent < 60 ? 'answer is lost' : 'arrives'
  }
}

/** The same sequence of numbers from 0 to 99 for a seed: a linear congruential generator. */
export function draws(seed: number): () => number {
  let state = seed
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648
    return (state >> 8) % 100
  }
}
