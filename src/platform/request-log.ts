import type { Log } from '#platform/log'
import type { ServedReply, ServedRequest } from '#platform/served-request'

declare module 'fastify' {
  interface FastifyRequest {
    /** The caller's account, as soon as it is known: for the log line. */
    account_id: string | undefined
  }
  interface FastifyContextConfig {
    /** A hot route: only one in a hundred of its successful responses is logged. */
    sampled?: boolean
    /** Logged at debug level only: health checks. */
    quiet?: boolean
  }
}

/** Writes the log line of a response. */
export type RequestLog = (request: ServedRequest, reply: ServedReply) => void

const SAMPLE = 100

/** Writes one line for each response; of hot routes, one for a hundred. */
export function openRequestLog(log: Log): RequestLog {
  let count = 0
  return (request, reply) => {
    const { config, url } = request.routeOptions
    const good = reply.statusCode < 400
    if (config.sampled && good && ++count % SAMPLE !== 0) return
    const line = {
      request_id: request.id,
      method: request.method,
      // The route's pattern and not its URL, which may contain a reference or a link's secret.
      route: url ?? 'unknown',
      status: reply.statusCode,
      address: request.ip,
      account_id: request.account_id,
      ms: Math.round(reply.elapsedTime * 10) / 10,
    }
    if (config.quiet && good) log.debug(line, 'answered')
    else log.info(line, 'answered')
  }
}
