import type { Clock } from '#platform/clock'

/** A clock that only moves when a test moves it. */
export class ManualClock implements Clock {
  #now: Date

  constructor(start: string | Date = '2026-03-10T12:00:00Z') {
    this.#now = new Date(start)
  }

  now(): Date {
    return new Date(this.#now)
  }

  /** Lets seconds pass. */
  pass(seconds: number): void {
    this.#now = new Date(this.#now.getTime() + seconds * 1000)
  }

  /** Sets the clock, even to an earlier time. */
  reset(start: string | Date): void {
    this.#now = new Date(start)
  }
}
