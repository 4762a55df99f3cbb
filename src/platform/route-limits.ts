import type { FastifyInstance, FastifyReply, FastifyRequest, RouteOptions } from 'fastify'
import type { Allowance, Limit, LimitKey, Limits } from '#platform/limits'
import { Problem } from '#platform/problem'
import { durationText } from '#platform/text'

/** A limit of a route, and what a request counts against. */
export interface RouteLimit extends Limit {
  key: (request: FastifyRequest) => LimitKey
}

/** A route as it was declared. */
export interface DeclaredRoute {
  methods: readonly string[]
  url: string
  limits: readonly RouteLimit[]
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The limits that every request counts against before anything is done for it. */
    limits?: readonly RouteLimit[]
  }
  interface FastifyInstance {
    /** The limits of a scope's forms whose route declares none of its own. */
    form_limits?: readonly RouteLimit[]
    /** Every declared route, in order. */
    declared_routes: readonly DeclaredRoute[]
  }
}

const READS = ['GET', 'HEAD', 'OPTIONS']

/**
 * Lets routes declare limits, which are checked before the body is read. Throws for a route that
 * changes something without a limit. Call it before any route is declared.
 */
export function limitRoutes(app: FastifyInstance, limits: Limits): void {
  const declared: DeclaredRoute[] = []
  app.decorate('declared_routes', declared)
  app.addHook('onRoute', function (this: FastifyInstance, route) {
    const methods = [route.method].flat()
    const isWrite = methods.some((method) => !READS.includes(method))
    const own = route.config?.limits ?? (isWrite ? this.form_limits : undefined) ?? []
    if (isWrite && own.length === 0) throw new Error(`${methods} ${route.url} has no limit`)
    declared.push({ methods, url: route.url, limits: own })
    if (own.length > 0) takeLimits(route, limits, own)
  })
}

/** The route's own hooks run first: they set headers, and refuse what is cheap to refuse. */
function takeLimits(route: RouteOptions, limits: Limits, own: readonly RouteLimit[]): void {
  const ask = async (request: FastifyRequest, reply: FastifyReply) => {
    for (const limit of own) await takePoint(limits, limit, limit.key(request), reply)
  }
  route.onRequest = [...[route.onRequest ?? []].flat(), ask]
}

/** What takes the headers of a response. */
interface WithHeaders {
  headers(more: Record<string, string>): unknown
}

/**
 * Takes a point of a limit, sets the rate-limit headers, and refuses with 429 if none is left:
 * throws, or rejects if other processes count too.
 */
export function takePoint(
  limits: Limits,
  limit: Limit,
  key: LimitKey,
  reply: WithHeaders,
  points = 1,
): Promise<void> | undefined {
  const taken = limits.consume(limit, key, points)
  if (taken instanceof Promise) return taken.then((left) => apply(limit, left, reply))
  apply(limit, taken, reply)
  return undefined
}

function apply(limit: Limit, left: Allowance, reply: WithHeaders): void {
  const { allowed, remaining, reset_seconds } = left
  reply.headers({
    'ratelimit-policy': `"${limit.name}";q=${limit.points};w=${limit.seconds}`,
    ratelimit: `"${limit.name}";r=${remaining};t=${reset_seconds}`,
  })
  if (!allowed) throw tooManyRequests(reset_seconds)
}

/** The refusal of a caller who must wait. */
export function tooManyRequests(retry_after: number): Problem {
  const message = `Too many requests. Try again in ${durationText(retry_after)}.`
  return new Problem(429, 'rate_limited', message, { retry_after })
}
