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
