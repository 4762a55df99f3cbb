import { SERVER_URL } from './database.ts'

/**
 * Repeats a request until its result shows a change. With a server, an announcement arrives on a
 * connection of its own, a few milliseconds later.
 */
export async function untilAnnounced<Answer>(
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
