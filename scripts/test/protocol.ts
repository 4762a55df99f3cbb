/** What the runner sends a worker: a file to run, or that there is none left. */
export type ToWorker = { file: string; isLast: boolean } | 'end'

/** What a worker sends the runner: that it is ready, and then each result. */
export type FromWorker = 'ready' | Result

/** The end of one test or of one file. */
export interface Result {
  /** The file, and the titles that lead to the test; the file alone where the whole file ended. */
  path: string[]
  outcome: 'passed' | 'failed' | 'skipped'
  /** False for a suite: only its tests are counted, unless the suite itself failed. */
  counts: boolean
  duration_ms: number
  /** What went wrong, ready to print. */
  error?: string
}
