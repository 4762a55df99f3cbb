import { setTimeout as sleep, setImmediate as turn } from 'node:timers/promises'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { Problem } from '#platform/problem'

/** Makes the proxy stop sending requests to a server before it closes, so that no request fails. */
export interface Drain {
  /** True from the start of `run`: the node is not ready, and each answer closes its connection. */
  readonly is_on: boolean
  /** Whether requests that a proxy repeats at another node are refused. */
  readonly refuses: boolean
  /** Notes a request that arrives while it is on, and whether a proxy sent it. */
  note(by_proxy: boolean): void
  /** Begins the drain. Resolves when no more requests arrive, or after the time limit. */
  run(): Promise<void>
}

/** Durations in milliseconds. */
export interface DrainLimits {
  /** Proxies that ask for readiness leave the node out within this time. */
  asked: number
  /** Then proxies that notice only failures leave it out within this time. */
  refused: number
  /** After so long without a request, every proxy that was refused has noticed. */
  quiet: number
}

const LIMITS: DrainLimits = { asked: 3_000, refused: 2_000, quiet: 250 }
const TICK_MS = 25
const RETRY_AFTER_SECONDS = 1

/** A drain that has not begun. */
export function openDrain({ asked, refused, quiet }: DrainLimits = LIMITS): Drain {
  let isOn = false
  let refuses = false
  let seen = 0
  let isProxied = false
  // A proxy that sends few requests is as quiet, and has not noticed.
  const isQuiet = () => performance.now() - seen >= quiet && (refuses || !isProxied)
  return {
    get is_on() {
      return isOn
    },
    get refuses() {
      return refuses
    },
    note(by_proxy) {
      seen = performance.now()
      isProxied ||= by_proxy
    },
    async run() {
      const start = performance.now()
      isOn = true
      seen = start
      for (;;) {
        const passed = performance.now() - start
        if (passed >= asked + refused) return
        refuses = passed >= asked
        if (isQuiet()) {
          await readArrived()
          if (isQuiet()) return
        }
        await sleep(TICK_MS, undefined, { ref: false })
      }
    },
  }
}

/**
 * Resolves when the connections and requests that had arrived are read: of a busy process, timers
 * are due before.
 */
async function readArrived(): Promise<void> {
  await turn()
  await turn()
}

/**
 * Has the answer close its connection, so that none is left that a proxy could reuse. Returns the
 * refusal of a request that the proxy repeats at another node, and then sends no more for a while;
 * undefined for any other, which is answered as always.
 */
export function whileDraining(
  drain: Drain,
  request: FastifyRequest,
  reply: FastifyReply,
  isProxy: false | ((address: string) => boolean),
): Problem | undefined {
  reply.header('connection', 'close')
  if (request.routeOptions.config.quiet) return undefined
  const by_proxy = isProxy ? isProxy(request.socket.remoteAddress ?? '') : false
  drain.note(by_proxy)
  const isRepeated = request.method === 'GET' || request.method === 'HEAD'
  if (!drain.refuses || !isRepeated || !by_proxy) return undefined
  const message = 'This node is stopping. Try again in a second.'
  return new Problem(503, 'service_unavailable', message, { retry_after: RETRY_AFTER_SECONDS })
}
