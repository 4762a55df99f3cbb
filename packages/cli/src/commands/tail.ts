import { setTimeout as sleep } from 'node:timers/promises'
import type { CommandContext } from '../context.ts'
import { EXIT, type ExitCode, wrongUse } from '../exit.ts'
import type { Terminal } from '../terminal.ts'
import {
  openTestMode,
  Retryable,
  type TimelineItem,
  type TimelinePage,
  waitFor,
} from '../test-mode.ts'

interface TailOptions {
  events: string
  interval: string
  follow: boolean
}

const MAX_EVENTS = 200
const PAGE = '100'

/** Prints the events of an app in test mode as they come, until Ctrl-C. */
export async function tail(context: CommandContext<TailOptions>): Promise<ExitCode> {
  const { terminal, options } = context
  const past = numberOf('--events', options.events, 0, MAX_EVENTS)
  const pause = numberOf('--interval', options.interval, 1, 3600)
  const send = await openTestMode(context)
  const ended = new AbortController()
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => ended.abort())
  process.stdout.once('error', () => ended.abort())
  const { signal } = ended
  try {
    const first = { limit: String(Math.max(past, 1)) }
    let { body: page } = await send<TimelinePage>('/events', { query: first, signal })
    print(terminal, past === 0 ? [] : page.events)
    if (options.follow && terminal.is_interactive) {
      terminal.note('Waiting for events. Press Ctrl-C to stop.')
    }
    while (options.follow) {
      if (!page.has_more) await sleep(pause * 1000, undefined, { signal })
      page = await nextPage(context, page, signal, async (query) => {
        return (await send<TimelinePage>('/events', { query, signal })).body
      })
      print(terminal, page.events)
    }
    return EXIT.ok
  } catch (error) {
    // Stopping is how a person ends it.
    if (signal.aborted) return EXIT.ok
    throw error
  }
}

/** The events after a page. While the service does not answer, it is the same page without them. */
async function nextPage(
  { terminal }: CommandContext,
  { cursor, now }: TimelinePage,
  signal: AbortSignal,
  read: (query: Record<string, string>) => Promise<TimelinePage>,
): Promise<TimelinePage> {
  try {
    return await read({ cursor, limit: PAGE })
  } catch (error) {
    if (!(error instanceof Retryable)) throw error
    await waitFor(error, terminal, signal)
    return { events: [], cursor, now, has_more: false }
  }
}

function print(terminal: Terminal, events: TimelineItem[]): void {
  for (const event of events) terminal.event(event, eventLine(terminal, event))
}

/** An event as one line. */
function eventLine(terminal: Pick<Terminal, 'style'>, event: TimelineItem): string {
  const { at, text, status, amount, email } = event
  const parts = [
    terminal.style('dim', at.replace('T', ' ').replace('Z', '')),
    terminal.style(event.kind === 'declined' ? 'red' : 'bold', text),
    ...(status === null ? [] : [`→ ${status}`]),
    ...(amount === null ? [] : [`$${amount}`]),
    ...(email === null ? [] : [terminal.style('cyan', email)]),
  ]
  return parts.join('  ')
}

function numberOf(name: string, text: string, least: number, most: number): number {
  const value = Number(text)
  if (/^\d+$/.test(text) && value >= least && value <= most) return value
  throw wrongUse(`${name} must be a whole number, ${least} to ${most}.`)
}
