const PATIENCE_MS = 60_000
const PAUSE_MS = 50

/** Polls until there is a result, and returns it; throws after a minute. */
export async function eventually<Answer>(
  what: string,
  ask: () => Promise<Answer | undefined | false>,
): Promise<Answer> {
  const deadline = performance.now() + PATIENCE_MS
  while (performance.now() < deadline) {
    const answer = await ask()
    if (answer !== undefined && answer !== false) return answer
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS))
  }
  throw new Error(`timed out waiting for ${what}`)
}
