import type { FastifyRequest } from 'fastify'

/** The names of a path's parameters: `slug` and `id` of `/apps/:slug/changes/:id/`. */
type NamesOf<Path extends string> = Path extends `${string}:${infer Rest}`
  ? Rest extends `${infer Name}/${infer Tail}`
    ? Name | NamesOf<Tail>
    : Rest
  : never

/** The parameters of a path, each by its name. */
export type ParamsOf<Path extends string> = Record<NamesOf<Path>, string>

/**
 * The parameters that the address of a request has by `path`, the pattern of its route or the start
 * of it; throws where the route has no parameter of such a name.
 */
export function paramsOf<Path extends string>(
  path: Path,
  request: Pick<FastifyRequest, 'params'>,
): ParamsOf<Path> {
  const given = new Map(entriesOf(request.params))
  const params: Partial<Record<string, string>> = {}
  for (const [, name = ''] of path.matchAll(/:(\w+)/g)) {
    const value = given.get(name)
    if (typeof value !== 'string') throw new Error(`the route has no parameter ${name}`)
    params[name] = value
  }
  // The loop has set each name of the path.
  return params as ParamsOf<Path>
}

/** The fields of a posted form, as texts. */
export function formOf({ body }: Pick<FastifyRequest, 'body'>): Record<string, string> {
  const texts = entriesOf(body).filter((entry): entry is [string, string] => isText(entry[1]))
  return Object.fromEntries(texts)
}

/** One parameter of the query, or undefined where it is absent or given more than once. */
export function queryOf(
  { query }: Pick<FastifyRequest, 'query'>,
  name: string,
): string | undefined {
  const value = new Map(entriesOf(query)).get(name)
  return isText(value) ? value : undefined
}

/** The first value of a parameter of the query, however often it is given. */
export function firstQueryOf(
  { query }: Pick<FastifyRequest, 'query'>,
  name: string,
): string | undefined {
  const [first] = [new Map(entriesOf(query)).get(name)].flat()
  return isText(first) ? first : undefined
}

/** True where the query gives a parameter more than once. */
export function isRepeated({ query }: Pick<FastifyRequest, 'query'>, name: string): boolean {
  return Array.isArray(new Map(entriesOf(query)).get(name))
}

function entriesOf(value: unknown): [name: string, value: unknown][] {
  return typeof value === 'object' && value !== null ? Object.entries(value) : []
}

function isText(value: unknown): value is string {
  return typeof value === 'string'
}
