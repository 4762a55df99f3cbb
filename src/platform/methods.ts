import type { FastifyInstance } from 'fastify'
import findMyWay from 'find-my-way'
import { once } from '#platform/once'
import { Problem } from '#platform/problem'
import { withoutSlash } from '#platform/text'

/** The method under which a path is found, whatever methods it takes. */
const ANY = 'GET'

/**
 * Answers 405 with `Allow` where a path exists but not with that method. Call it before the routes
 * are declared. Paths with a wildcard answer 404.
 */
export function refuseOtherMethods(app: FastifyInstance): void {
  const known = new Map<string, Set<string>>()
  app.addHook('onRoute', ({ url, method }) => {
    if (url.includes('*')) return
    const path = withoutSlash(url)
    const methods = known.get(path) ?? new Set()
    for (const each of [method].flat()) methods.add(each)
    known.set(path, methods)
  })
  const methodsAt = once(() => methodsByPath(known, app.initialConfig.routerOptions))
  // No routes for the methods that a path does not take: they would be most of all routes.
  app.addHook('onRequest', ({ is404, method, url }, _reply, done) => {
    const methods = is404 ? methodsAt()(url) : undefined
    done(methods && !methods.has(method) ? methodNotAllowed(methods) : undefined)
  })
}

/** Finds what the path of a URL takes, as the routes themselves are found. */
function methodsByPath(
  known: ReadonlyMap<string, ReadonlySet<string>>,
  options: FastifyInstance['initialConfig']['routerOptions'],
): (url: string) => Set<string> | undefined {
  const router = findMyWay(options)
  for (const [path, methods] of known) {
    // The routes of a path may name its parameters differently.
    const same = router.findRoute(ANY, path)?.store as Set<string> | undefined
    if (same) for (const each of methods) same.add(each)
    else router.on(ANY, path, () => {}, new Set(methods))
  }
  return (url) => router.find(ANY, url)?.store
}

function methodNotAllowed(methods: ReadonlySet<string>): Problem {
  const allow = [...methods].sort().join(', ')
  const message = `Use ${allow}. Other methods are not supported here.`
  return new Problem(405, 'method_not_allowed', message, { headers: { allow } })
}
