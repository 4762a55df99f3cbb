/**
 * The tide of one shore as a sum of cosines, the way tide tables have been made since Kelvin: each
 * constituent is a pull of the moon or the sun with its own period. The shore is imaginary, and so
 * are its amplitudes and phases, but they have the shape of a coast with two unequal tides a day.
 * Heights are feet above mean lower low water; times are milliseconds since 1970.
 */

export const shore = { name: 'Heron Point', time_zone: 'America/Los_Angeles' }

export type Turn = { time: number; feet: number; kind: 'high' | 'low' }
export type Span = { from: number; to: number }

export const HOUR = 3_600_000
const STEP = HOUR / 6
const MEAN_FEET = 3.1

/** Amplitude in feet, speed in degrees an hour, phase in degrees. */
const constituents = [
  { feet: 1.75, speed: 28.9841042, phase: 40 },
  { feet: 0.46, speed: 30, phase: 72 },
  { feet: 0.38, speed: 28.4397295, phase: 15 },
  { feet: 1.22, speed: 15.0410686, phase: 118 },
  { feet: 0.76, speed: 13.9430356, phase: 96 },
].map(({ feet, speed, phase }) => ({
  feet,
  speed: (speed * Math.PI) / 180 / HOUR,
  phase: (phase * Math.PI) / 180,
}))

export function feetAt(time: number): number {
  return constituents.reduce(
    (sum, { feet, speed, phase }) => sum + feet * Math.cos(speed * time - phase),
    MEAN_FEET,
  )
}

export function isRising(time: number): boolean {
  return (
    constituents.reduce((s, c) => s - c.feet * c.speed * Math.sin(c.speed * time - c.phase), 0) > 0
  )
}

/** Every high and low water from one time to another, in order. */
export function turns(from: number, to: number): Turn[] {
  return changes(isRising, from, to).map((time) => ({
    time,
    feet: feetAt(time),
    kind: isRising(time + 1_000) ? 'low' : 'high',
  }))
}

/** The first span after `from` in which the water is below a level; null when a month has none. */
export function nextBelow(level: number, from: number): Span | null {
  const isBelow = (time: number) => feetAt(time) < level
  const [first, second] = changes(isBelow, from, from + 30 * 24 * HOUR)
  if (isBelow(from)) return first === undefined ? null : { from, to: first }
  return first === undefined || second === undefined ? null : { from: first, to: second }
}

/** The instants at which a question about the tide changes its answer, to the second. */
function changes(ask: (time: number) => boolean, from: number, to: number): number[] {
  const found: number[] = []
  for (let left = from; left < to; left += STEP) {
    let [low, high] = [left, left + STEP]
    if (ask(low) === ask(high)) continue
    while (high - low > 1_000) {
      const middle = (low + high) / 2
      if (ask(middle) === ask(low)) low = middle
      else high = middle
    }
    if (high <= to) found.push(high)
  }
  return found
}
