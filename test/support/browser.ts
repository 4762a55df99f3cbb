import { type Browser, chromium } from 'playwright-core'
import { findChromium } from '../../scripts/chromium.ts'

// No call of the browser's own: what it loads is what the pages ask for.
const ARGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]

/** Starts the Chromium that `CHROMIUM` names, or the one that is found; throws if there is none. */
export async function launchBrowser(): Promise<Browser> {
  return await chromium.launch({ executablePath: findChromium(), args: ARGS })
}

const PATIENCE_MS = 15_000
const PAUSE_MS = 50

/** Asks again and again until there is an answer, and returns it. */
export async function eventually<Answer>(
  what: string,
  ask: () => Promise<Answer | undefined | false>,
): Promise<Answer> {
  const deadline = Date.now() + PATIENCE_MS
  while (Date.now() < deadline) {
    const answer = await ask()
    if (answer !== undefined && answer !== false) return answer
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS))
  }
  throw new Error(`waited in vain for ${what}`)
}
