import { SERVER_URL } from './database.ts'

/**
 * Asks until the answer shows a change. On the embedded engine that is the first; a server's
 * announcement comes on a connection of its own, and may be some thousandths of a second behind.
 */
export async function announced<Answer>(
  ask: () => Promise<Answer>,
  isNew: (answer: Answer) => boolean,
): Promise<Answer> {
  const tries = SERVER_URL === undefined ? 1 : 25
  for (let count = 1; count <= tries; count++) {
    const answer = await ask()
    if (isNew(answer)) return answer
    await new Promise((resolve) => setTimeout(resolve, count))
  }
  throw new Error('the change was not announced')
}
