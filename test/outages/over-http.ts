import type { FastifyInstance } from 'fastify'
import { overHttp } from '../support/process.ts'
import type { Answer } from './load.ts'

/** The longest that an answer may take before the caller counts it as none. */
const GIVE_UP_MS = 40_000

/** A server behind the part of Fastify's interface that `Agent` uses; records each answer. */
export function recorded(
  base_url: string,
  answers: Answer[],
  onUrl: (url: string) => void = () => {},
): FastifyInstance {
  return overHttp(base_url, async (address, init, request) => {
    const { method = 'GET', url, remoteAddress = '127.0.0.1' } = request
    const what = `${method} ${url.replace(/\?.*/, '').replaceAll(/\w{16,}/g, '…')}`
    const start = performance.now()
    onUrl(url)
    const record = (status: number) => answers.push({ what, status, ms: performance.now() - start })
    const headers = new Headers(init.headers)
    headers.append('x-forwarded-for', remoteAddress)
    const signal = AbortSignal.timeout(GIVE_UP_MS)
    try {
      const answer = await fetch(address, { ...init, headers, signal })
      // An answer counts once all of it has arrived.
      const body = answer.body && (await answer.arrayBuffer())
      record(answer.status)
      return new Response(body, answer)
    } catch (error) {
      record(0)
      throw error
    }
  })
}
