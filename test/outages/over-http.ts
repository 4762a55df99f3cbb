import type { FastifyInstance } from 'fastify'
import type { Answer } from './load.ts'

/** The longest that an answer may take before the caller counts it as none. */
const GIVE_UP_MS = 40_000

/** A server behind the part of Fastify's interface that `Agent` uses; records each answer. */
export function overHttp(
  base_url: string,
  answers: Answer[],
  onUrl: (url: string) => void = () => {},
): FastifyInstance {
  const inject = async (options: {
    method?: string
    url: string
    remoteAddress?: string
    headers?: Record<string, string>
    payload?: string | Buffer
  }) => {
    const { method = 'GET', url, headers = {}, payload, remoteAddress = '127.0.0.1' } = options
    const what = `${method} ${url.replace(/\?.*/, '').replaceAll(/\w{16,}/g, '…')}`
    const start = performance.now()
    onUrl(url)
    const record = (status: number) => answers.push({ what, status, ms: performance.now() - start })
    try {
      const answer = await fetch(base_url + url, {
        method,
        redirect: 'manual',
        signal: AbortSignal.timeout(GIVE_UP_MS),
        headers: [
          ...Object.entries(headers).filter(([name]) => name !== 'host'),
          ['x-forwarded-for', remoteAddress],
        ],
        ...(payload === undefined ? {} : { body: payload as BodyInit }),
      })
      const body = await answer.text()
      record(answer.status)
      return {
        statusCode: answer.status,
        headers: Object.fromEntries(answer.headers),
        cookies: answer.headers.getSetCookie().map((cookie) => {
          const [pair = ''] = cookie.split(';')
          const at = pair.indexOf('=')
          return { name: pair.slice(0, at), value: pair.slice(at + 1) }
        }),
        body,
        json: () => JSON.parse(body),
      }
    } catch (error) {
      record(0)
      throw error
    }
  }
  return { inject } as unknown as FastifyInstance
}
