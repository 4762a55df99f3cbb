/**
 * Builds and starts the service, and again after each change of a source, page, style, migration,
 * document or legal text. Until a fault in the code is corrected it waits for the next change.
 *
 *     npm run dev
 */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { nextChange } from './next-change.ts'

const WATCHED = [
  'docs',
  'examples',
  'legal',
  'migrations',
  'packages/client/src',
  'packages/components/src',
  'src',
]
const TYPESCRIPT = ['--import', './scripts/register-tsx.mjs']
// As `npm start` does (decision 157).
const SERVICE = ['--liftoff-only', ...TYPESCRIPT]
const BUILD = ['--disable-warning=ExperimentalWarning', ...TYPESCRIPT]

let service: ChildProcess | undefined
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.on(signal, () => stop().then(() => process.exit(0)))
}

for (;;) {
  // Watched from before the build, so that a change during it is noticed.
  const change = nextChange(WATCHED)
  const build = spawnSync(process.execPath, [...BUILD, 'scripts/build.ts'], { stdio: 'inherit' })
  if (build.status === 0) {
    service = spawn(process.execPath, [...SERVICE, 'src/main.ts'], { stdio: 'inherit' })
    service.once('exit', () => console.log('The service stopped. A change starts it again.'))
  } else {
    console.log('The build failed. A change starts it again.')
  }
  await change
  console.log('\nA file changed: restarting.')
  await stop()
}

/** Stops the service gracefully, if it is running. */
async function stop(): Promise<void> {
  if (!service || service.exitCode !== null || service.signalCode !== null) return
  service.removeAllListeners('exit')
  const exit = once(service, 'exit')
  service.kill('SIGTERM')
  await exit
}
