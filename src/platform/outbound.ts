import { lookup as resolveName } from 'node:dns/promises'
import { type IncomingMessage, request as requestHttp } from 'node:http'
import { request as requestHttps } from 'node:https'
import { isIP, type LookupFunction } from 'node:net'
import ipaddr from 'ipaddr.js'
import { assertNoTransaction } from '#platform/db'

/** The response of a URL that a person supplied. */
export interface OutboundAnswer {
  status: number
  /** The redirect's address, resolved; it was not followed. */
  location: string | undefined
  /** The server's own time; undefined without a valid Date header. */
  date: Date | undefined
  /** The first 64 KB of the body. */
  body: string
  took_ms: number
}

/** Why a URL was not requested, or gave no response. */
export type OutboundFault =
  | 'not_http'
  | 'port_refused'
  | 'address_refused'
  | 'name_unknown'
  | 'unreachable'
  | 'certificate'
  | 'too_slow'
  | 'not_an_answer'

/** Thrown instead of an answer; `code` is the network's own, for the server's owner. */
export class OutboundError extends Error {
  readonly fault: OutboundFault
  readonly code: string

  constructor(fault: OutboundFault, code = '') {
    super(`${fault} ${code}`.trim())
    this.fault = fault
    this.code = code
  }
}

/**
 * Requests one URL with GET: no credentials, no redirects followed, at most 5 seconds and 64 KB.
 */
export type Visit = (address: string) => Promise<OutboundAnswer>

/** Every address of a host. */
type Resolve = (host: string) => Promise<{ address: string; family: number }[]>

/** What a request may reach. Tests replace the resolver and the limits. */
export interface OutboundRules {
  /** Allows the loopback on any port, for sites in development. */
  allows_loopback: boolean
  resolve?: Resolve
  ports?: readonly string[]
  most_ms?: number
}

const MAX_MS = 5_000
const MAX_BYTES = 65_536
const PORTS = ['', '80', '443']
// Globally routed, but answers for the host's own cloud: Azure's metadata.
const CLOUD = ['168.63.129.16']
const TLS_CODES = /CERT|TLS|SSL|SELF_SIGNED|UNABLE_TO|EPROTO/
const GLOBAL_V6 = ipaddr.parseCIDR('2000::/3')

/**
 * Visits addresses that people supply, without letting them reach anything but the public internet
 * (threat 27, decision 107). The host is resolved once, each of its addresses must be public, and
 * the connection is made to one of those that were checked.
 */
export function openVisits(rules: OutboundRules): Visit {
  const { most_ms = MAX_MS } = rules
  return async (text) => {
    assertNoTransaction('an address was visited')
    const started_at = performance.now()
    const url = readUrl(text, rules)
    const signal = AbortSignal.timeout(most_ms)
    try {
      const addresses = await inTime(signal, addressesOf(url, rules))
      const answer = await ask(url, addresses, signal)
      return { ...answer, took_ms: Math.round(performance.now() - started_at) }
    } catch (error) {
      throw signal.aborted ? new OutboundError('too_slow') : faultOf(error)
    }
  }
}

function readUrl(text: string, { allows_loopback, ports = PORTS }: OutboundRules): URL {
  const url = URL.parse(text)
  if (!url || !/^https?:$/.test(url.protocol) || url.username !== '' || url.password !== '') {
    throw new OutboundError('not_http')
  }
  const isLocal = allows_loopback && isLoopbackHost(hostOf(url))
  if (!isLocal && !ports.includes(url.port)) throw new OutboundError('port_refused', url.port)
  return url
}

/** The host without the brackets of an IPv6 address. */
function hostOf({ hostname }: URL): string {
  return hostname.replace(/^\[|\]$/g, '')
}

function isLoopbackHost(host: string): boolean {
  return host === 'localhost' || (isIP(host) !== 0 && rangeOf(host) === 'loopback')
}

/** The addresses of a URL's host; throws unless all of them may be visited. */
async function addressesOf(url: URL, rules: OutboundRules) {
  const host = hostOf(url)
  const { resolve = (name) => resolveName(name, { all: true }) } = rules
  const family = isIP(host)
  const found = family === 0 ? await resolve(host) : [{ address: host, family }]
  if (found.length === 0) throw new OutboundError('name_unknown')
  // A name of the public internet that leads to the loopback is an attack in development too.
  const allows_loopback = rules.allows_loopback && isLoopbackHost(host)
  const refused = found.find(({ address }) => !mayVisit(address, allows_loopback))
  if (refused) throw new OutboundError('address_refused', refused.address)
  return found
}

/** Whether an address is of the public internet, or of this machine where that is allowed. */
function mayVisit(address: string, allows_loopback: boolean): boolean {
  const range = rangeOf(address)
  if (range === 'loopback') return allows_loopback
  if (range !== 'unicast') return false
  const parsed = ipaddr.process(address)
  if (parsed.kind() === 'ipv4') return !CLOUD.includes(parsed.toString())
  return (parsed as ipaddr.IPv6).match(GLOBAL_V6)
}

/** The range that an address belongs to. An IPv4 address inside an IPv6 one counts as itself. */
function rangeOf(address: string): string {
  return ipaddr.isValid(address) ? ipaddr.process(address).range() : 'invalid'
}

async function ask(
  url: URL,
  addresses: { address: string; family: number }[],
  signal: AbortSignal,
): Promise<Omit<OutboundAnswer, 'took_ms'>> {
  // Whatever the name resolves to by now, the connection is made to what was checked.
  const lookup: LookupFunction = (_host, options, done) => {
    if (options.all) done(null, addresses)
    else done(null, addresses[0]!.address, addresses[0]!.family)
  }
  const request = url.protocol === 'https:' ? requestHttps : requestHttp
  const answer = await new Promise<IncomingMessage>((resolve, reject) => {
    const headers = { accept: 'text/html,*/*', 'user-agent': 'Purser integration check' }
    const sent = request(url, { agent: false, headers, lookup, signal, maxHeaderSize: 16_384 })
    sent.once('response', resolve)
    sent.once('error', reject)
    sent.end()
  })
  try {
    const { statusCode = 0, headers } = answer
    const location = headers.location
    const date = new Date(headers.date ?? '')
    return {
      status: statusCode,
      location: location === undefined ? undefined : (URL.parse(location, url)?.href ?? location),
      date: Number.isNaN(date.getTime()) ? undefined : date,
      body: await firstBytes(answer),
    }
  } finally {
    answer.destroy()
  }
}

async function firstBytes(answer: IncomingMessage): Promise<string> {
  const parts: Buffer[] = []
  let bytes = 0
  for await (const part of answer) {
    parts.push(part)
    bytes += part.length
    if (bytes >= MAX_BYTES) break
  }
  return Buffer.concat(parts).subarray(0, MAX_BYTES).toString('utf8')
}

/** A promise that ends with the signal at the latest; resolving a name has no time limit. */
async function inTime<Result>(signal: AbortSignal, work: Promise<Result>): Promise<Result> {
  let stop = () => {}
  const late = new Promise<never>((_resolve, reject) => {
    stop = () => reject(new OutboundError('too_slow'))
    signal.addEventListener('abort', stop, { once: true })
  })
  try {
    return await Promise.race([work, late])
  } finally {
    signal.removeEventListener('abort', stop)
  }
}

function faultOf(error: unknown): OutboundError {
  if (error instanceof OutboundError) return error
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  if (TLS_CODES.test(code)) return new OutboundError('certificate', code)
  if (/^(ENOTFOUND|EAI_|ENODATA|ESERVFAIL)/.test(code)) return new OutboundError('name_unknown')
  if (/^HPE_|ERR_HTTP/.test(code)) return new OutboundError('not_an_answer', code)
  return new OutboundError('unreachable', code)
}
