/** The runner's message to a worker: a file to run, or that there are no more. */
export type ToWorker = { file: string; is_last: boolean } | 'end'

/** A worker's message to the runner: that it is ready, and then each result. */
export type FromWorker = 'ready' | Result

/** The end of one test or of one file. */
export interface Result {
  /** The file and the titles of the test; only the file if the result is of the whole file. */
  path: string[]
  outcome: 'passed' | 'failed' | 'skipped'
  /** False for a suite: only its tests count, unless the suite itself failed. */
  counts: boolean
  duration_ms: number
  /** The error, formatted. */
  error?: string
}
