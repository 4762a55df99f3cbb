import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'

// The headless shell renders the same pages in less than half the time.
const NAMES = [
  'chromium-headless-shell',
  'chromium',
  'chromium-browser',
  'google-chrome-stable',
  'google-chrome',
  'chrome',
]
const PACKAGE = 'chromium-headless-shell'
const PLACES = [
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
]

/**
 * The path of a Chromium for the browser tests: `CHROMIUM`, an installed one, or one that is
 * installed now (as root on Debian). Throws with instructions if there is none.
 */
export function findChromium(): string {
  const named = process.env.CHROMIUM
  if (named && existsSync(named)) return named
  const found = lookForOne()
  if (found) return found
  const isRoot = process.getuid?.() === 0
  if (isRoot && which('apt-get')) {
    console.log('Installing Chromium for the browser tests.')
    spawnSync('apt-get', ['update', '-qq'], { stdio: 'inherit' })
    const options = ['install', '-y', '-qq', '--no-install-recommends', PACKAGE]
    const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }
    spawnSync('apt-get', options, { stdio: ['ignore', 'ignore', 'inherit'], env })
    const installed = lookForOne()
    if (installed) return installed
  }
  throw new Error(
    `The browser tests need a Chromium: install one (on Debian: apt-get install ${PACKAGE}), ` +
      'or name it in the variable CHROMIUM.',
  )
}

function lookForOne(): string | undefined {
  for (const name of NAMES) {
    const path = which(name)
    if (path) return path
  }
  return PLACES.find((place) => existsSync(place))
}

/** The path of a program; undefined if it is not installed. */
export function which(name: string): string | undefined {
  try {
    return execFileSync('sh', ['-c', `command -v ${name}`], { encoding: 'utf8' }).trim()
  } catch {
    return undefined
  }
}
