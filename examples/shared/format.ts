/** Times and heights as a walker reads them. */
import { isRising, shore } from './tides.ts'

const { time_zone: timeZone } = shore
const clock = new Intl.DateTimeFormat('en-US', { timeZone, hour: 'numeric', minute: '2-digit' })
const hour = new Intl.DateTimeFormat('en-US', { timeZone, hour: 'numeric' })
const weekday = new Intl.DateTimeFormat('en-US', { timeZone, weekday: 'short' })
const monthDay = new Intl.DateTimeFormat('en-US', { timeZone, day: 'numeric' })
const longDay = new Intl.DateTimeFormat('en-US', {
  timeZone,
  weekday: 'long',
  day: 'numeric',
  month: 'long',
})
const calendarDay = new Intl.DateTimeFormat('en-US', { timeZone: 'UTC', dateStyle: 'long' })

/** `6:40 AM`, with a space that does not break. */
export const clockTime = (time: number) => clock.format(time).replace(' ', '\u00a0')
export const hourOf = (time: number) => hour.format(time)
/** `Fri 20` */
export const shortDay = (time: number) => `${weekday.format(time)} ${monthDay.format(time)}`
export const fullDay = (time: number) => longDay.format(time)

/** `−0.8 ft`, with a true minus sign. */
export function feet(height: number): string {
  const text = Math.abs(height).toFixed(1)
  return `${height < 0 && text !== '0.0' ? '−' : ''}${text} ft`
}

export const trend = (time: number) => (isRising(time) ? 'rising' : 'falling')

/** `2026-03-01` as `March 1, 2026`. */
export function day(date: string): string {
  return calendarDay.format(new Date(date))
}
