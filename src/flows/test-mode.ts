/**
 * The test mode beside live mode (decision 105): how a seller's member gets there, and how what
 * live mode knows of a seller is copied. Nothing is ever copied back.
 */
export { followLive } from './test-mode/follow.ts'
export { liveModeOf } from './test-mode/live.ts'
export { mirror } from './test-mode/mirror.ts'
export { openTestModeEntry } from './test-mode/open-entry.ts'
