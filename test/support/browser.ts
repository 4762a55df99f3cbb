import { type Browser, chromium } from 'playwright-core'
import { findChromium } from '../../scripts/chromium.ts'

// Turns off the browser's own requests, so that only the pages' requests remain.
const ARGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]

let shared: Promise<Browser> | undefined
let users = 0
let kept = false

/**
 * Returns this process's Chromium, started on first use; throws if there is none. Return it with
 * `returnBrowser`; each test opens a context of its own in it.
 */
export async function borrowBrowser(): Promise<Browser> {
  users++
  shared ??= chromium.launch({ executablePath: findChromium(), args: ARGS })
  return await shared
}

/** Returns the browser; the last user closes it, unless a test worker keeps it open. */
export async function returnBrowser(): Promise<void> {
  users--
  if (users === 0 && !kept) await closeBrowser()
}

/** Keeps the browser open between test files, until `closeBrowser`. */
export function keepBrowserOpen(): void {
  kept = true
}

/** Closes the browser, if one was started. */
export async function closeBrowser(): Promise<void> {
  const browser = await shared
  shared = undefined
  await browser?.close()
}

const PATIENCE_MS = 60_000
const PAUSE_MS = 50

/** Polls until there is a result, and returns it; throws after a minute. */
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
  throw new Error(`timed out waiting for ${what}`)
}
