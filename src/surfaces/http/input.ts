import type { FastifyRequest } from 'fastify'
import { refuse } from '#http/refusals'
import { type Id, type IdPrefix, isId } from '#platform/ids'
import type { ServedRequest } from '#platform/served-request'

/** The parameter names of a path: `slug` and `id` of `/apps/:slug/changes/:id/`. */
type NamesOf<Path extends string> = Path extends `${string}:${infer Rest}`
  ? Rest extends `${infer Name}/${infer Tail}`
    ? Name | NamesOf<Tail>
    : Rest
  : never

/** The parameters of a path by name. */
export type ParamsOf<Path extends string> = Record<NamesOf<Path>, string>

/**
 * The parameters of a request by `path`, the pattern of its route or a prefix of it. Throws if the
 * route lacks one of them.
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
  // The loop has set every name.
  return params as ParamsOf<Path>
}

/**
 * The path of a request's route, with the names of its parameters and not the shapes that they must
 * have: `/admin/tax/:month/`. Unlike its address, it contains no reference and no secret.
 */
export function routePath({ routeOptions }: Pick<ServedRequest, 'routeOptions'>): string {
  return routeOptions.url?.replaceAll(/(:\w+)\([^)]*\)/g, '$1') ?? 'unknown'
}

/** An id in a path or a form; throws 404 for text that is not an id with this prefix. */
export function requireId<Prefix extends IdPrefix>(prefix: Prefix, text = ''): Id<Prefix> {
  if (!isId(prefix, text)) throw refuse('not_found')
  return text
}

/** What a switch in a form is turned to; throws `invalid_request` for any other text. */
export function requireSwitch(text: string | undefined): 'on' | 'off' {
  if (text !== 'on' && text !== 'off') throw refuse('invalid_request')
  return text
}

/** The fields of a posted form. */
export function formOf({ body }: Pick<FastifyRequest, 'body'>): Record<string, string> {
  const texts = entriesOf(body).filter((entry): entry is [string, string] => isText(entry[1]))
  return Object.fromEntries(texts)
}

/** The file of a posted form; empty if none was chosen. */
export function uploadOf({ body }: Pick<FastifyRequest, 'body'>, name: string): Buffer {
  const value = valueNamed(body, name)
  return Buffer.isBuffer(value) ? value : Buffer.alloc(0)
}

/** A query parameter; undefined if it is absent or repeated. */
export function queryOf(
  { query }: Pick<FastifyRequest, 'query'>,
  name: string,
): string | undefined {
  const value = valueNamed(query, name)
  return isText(value) ? value : undefined
}

/** A number in a query parameter, such as that of the last entry of a page; undefined otherwise. */
export function readNumber(text: string | undefined): number | undefined {
  return /^\d{1,15}$/.test(text ?? '') ? Number(text) : undefined
}

/** The first value of a query parameter. */
export function firstQueryOf(
  { query }: Pick<FastifyRequest, 'query'>,
  name: string,
): string | undefined {
  const [first] = [valueNamed(query, name)].flat()
  return isText(first) ? first : undefined
}

/** Whether a query parameter is repeated. */
export function isRepeated({ query }: Pick<FastifyRequest, 'query'>, name: string): boolean {
  return Array.isArray(valueNamed(query, name))
}

function entriesOf(value: unknown): [name: string, value: unknown][] {
  return typeof value === 'object' && value !== null ? Object.entries(value) : []
}

function valueNamed(given: unknown, name: string): unknown {
  return new Map(entriesOf(given)).get(name)
}

function isText(value: unknown): value is string {
  return typeof value === 'string'
}
