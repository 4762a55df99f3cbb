import { setTimeout as sleep } from 'node:timers/promises'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { Problem } from '#platform/problem'

/** Makes the proxy stop sending requests to a server before it closes, so that no request fails. */
export interface Drain {
  /** True from the start of `run`: the node is not ready, and each answer closes its connection. */
  readonly is_on: boolean
  /** Whether requests that a proxy repeats at another node are refused. */
  readonly refuses: boolean
  /** Notes a request that arrives while it is on. */
  note(): void
  /** Begins the drain. Resolves when no more requests arrive, or after the time limit. */
  run(): Promise<void>
}

/** Durations in milliseconds. */
export interface DrainLimits {
  /** Proxies that ask for readiness leave the node out within this time. */
  asked: number
  /** Then proxies that notice only failures leave it out within this time. */
  refused: number
  /** After so long without a request, every proxy has noticed. */
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
  return {
    get is_on() {
      return isOn
    },
    get refuses() {
      return refuses
    },
    note() {
      seen = performance.now()
    },
    async run() {
      const start = performance.now()
      isOn = true
      seen = start
      for (;;) {
        const now = performance.now()
        if (now - seen >= quiet || now - start >= asked + refused) return
        refuses = now - start >= asked
        await sleep(TICK_MS)
      }
    },
  }
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
  drain.note()
  const isRepeated = request.method === 'GET' || request.method === 'HEAD'
  if (!drain.refuses || !isRepeated || !isProxy) return undefined
  if (!isProxy(request.socket.remoteAddress ?? '')) return undefined
  const message = 'This node is stopping. Try again in a second.'
  return new Problem(503, 'service_unavailable', message, { retry_after: RETRY_AFTER_SECONDS })
}
