import type { FastifyInstance } from 'fastify'
import { Problem } from '#platform/problem'
import { withoutSlash } from '#platform/text'

/** The methods of routes. A path refuses those that it does not take by routes of its own. */
const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']

/**
 * Answers 405 with `Allow` where a path exists but not with that method. Call it before the routes
 * are declared, and the function that it returns after all of them.
 */
export function refuseOtherMethods(app: FastifyInstance): () => void {
  const known = new Map<string, Set<string>>()
  const allowed = new Map<string, string>()
  app.addHook('onRoute', ({ url, method }) => {
    const path = withoutSlash(url)
    const methods = known.get(path) ?? new Set()
    for (const each of [method].flat()) methods.add(each)
    known.set(path, methods)
  })
  // A route for each of TRACE, PROPFIND and thirty more would be too many.
  app.addHook('onRequest', ({ is404, method, url }, _reply, done) => {
    const allow = is404 && !METHODS.includes(method) ? allowOf(allowed, url) : undefined
    done(allow === undefined ? undefined : methodNotAllowed(allow))
  })
  const declareRefusals = async (last: FastifyInstance) => {
    for (const [url, methods] of [...known]) {
      if (url.includes('*')) continue
      const allow = [...methods].sort().join(', ')
      allowed.set(url, allow)
      const others = METHODS.filter((method) => !methods.has(method))
      if (others.length === 0) continue
      const refuse = async () => {
        throw methodNotAllowed(allow)
      }
      // Refused before the body is read, so its type does not matter.
      const config = { refuses: true }
      last.route({ method: others, url, config, onRequest: refuse, handler: refuse })
    }
  }
  return () => void app.register(declareRefusals)
}

/** What a path allows, where one of the routes has it; a parameter is one segment. */
function allowOf(allowed: ReadonlyMap<string, string>, url: string): string | undefined {
  const path = withoutSlash(url.split('?', 1)[0]!)
  const exact = allowed.get(path)
  if (exact !== undefined) return exact
  const segments = path.split('/')
  const isAt = (pattern: string) => {
    const parts = pattern.split('/')
    const fits = (part: string, index: number) =>
      part.startsWith(':') ? segments[index] !== '' : part === segments[index]
    return parts.length === segments.length && parts.every(fits)
  }
  return [...allowed].find(([pattern]) => isAt(pattern))?.[1]
}

function methodNotAllowed(allow: string): Problem {
  const message = `Use ${allow}. Other methods are not supported here.`
  return new Problem(405, 'method_not_allowed', message, { headers: { allow } })
}
