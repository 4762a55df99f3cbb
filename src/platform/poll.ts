import type { Log } from '#platform/log'

/** Work that a process repeats. */
export interface Poll {
  name: string
  seconds: number
  work: () => Promise<void>
}

/** Runs a poll now and again, until the function that it returns is called. */
export function repeat({ name, seconds, work }: Poll, log: Log): () => Promise<void> {
  let stopped = false
  let timer: NodeJS.Timeout | undefined
  let running: Promise<void> = Promise.resolve()
  const next = () => {
    running = work()
      .catch((error) => log.error({ error, poll: name }, 'poll failed; will run again'))
      .then(() => {
        if (!stopped) timer = setTimeout(next, seconds * 1000)
      })
  }
  next()
  return async () => {
    stopped = true
    clearTimeout(timer)
    await running
  }
}
