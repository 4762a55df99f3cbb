import { isIP } from 'node:net'
import { z } from 'zod'

/** The shapes of settings that several of them have; each message completes "NAME: …". */

/** A URL with one of these protocols, `postgres:`. */
export function url(...protocols: string[]) {
  const starts = protocols.map((each) => `${each}//`)
  return z.string().refine((text) => protocols.includes(URL.parse(text)?.protocol ?? ''), {
    error: ({ input }) =>
      starts.some((each) => String(input).startsWith(each))
        ? 'cannot be read as an address. In a user or password, write / as %2F, # as %23, @ as %40 ' +
          'and % as %25'
        : `must be an address that starts with ${starts.join(' or ')}`,
  })
}

/** The parameters of a mail server's URL. Its library knows others, which can turn TLS off. */
const MAIL_PARAMETERS = ['maxConnections', 'name']

/** A mail server. With another number of connections, its library would never open one. */
export function mailServer() {
  return url('smtp:', 'smtps:')
    .refine((text) => parametersOf(text).every(isMailParameter), {
      error: ({ input }) => {
        const unknown = parametersOf(String(input)).find((name) => !isMailParameter(name))
        return `has the unknown parameter ${unknown}; it may have ${MAIL_PARAMETERS.join(' and ')}`
      },
      abort: true,
    })
    .refine((text) => {
      const count = URL.parse(text)?.searchParams.get('maxConnections')
      return count === undefined || count === null || /^[1-9]\d{0,2}$/.test(count)
    }, 'maxConnections must be 1 to 999')
}

function parametersOf(text: string): string[] {
  return [...(URL.parse(text)?.searchParams.keys() ?? [])]
}

function isMailParameter(name: string): boolean {
  return MAIL_PARAMETERS.includes(name)
}

/** A Valkey or Redis server. With another path, its refusal would end the process. */
export function valkeyServer() {
  return url('redis:', 'rediss:', 'valkey:', 'valkeys:').refine((text) => {
    const address = URL.parse(text)
    return address === null || /^\/?\d{0,4}$/.test(address.pathname)
  }, 'must have no path but the number of a database, as in redis://host:6379/0')
}

/** An origin: scheme, host and port. */
export function origin() {
  return url('http:', 'https:').refine((text) => {
    const address = URL.parse(text)
    // A value that is not a URL was already reported.
    return address === null || address.href === `${address.origin}/`
  }, 'must be an origin alone, without a path')
}

const ADDRESS = /^[^\s<>@,;]+@[^\s<>@,;]+$/
/** Without quotes, a comma in a name would begin another address. */
const NAME = /^(?:"[^"\p{Cc}]*"|[^",;:@()\p{Cc}]*)$/u

/** The sender of emails: an address, alone or behind a name. */
export function sender() {
  return z
    .string()
    .refine(
      isSender,
      'must be an email address, alone or as in "Harbor Software, Inc." <receipts@example.com>',
    )
}

function isSender(text: string): boolean {
  const [, name = '', address = text] = /^([^<>]*)<([^<>]*)>$/.exec(text) ?? []
  return ADDRESS.test(address) && NAME.test(name.trim())
}

/** Addresses or networks separated by commas, or none. */
export function networks() {
  return z
    .string()
    .refine(
      (text) => text === 'none' || text.split(',').every(isNetwork),
      'must be addresses or networks such as 10.0.0.0/8, separated by commas, or none',
    )
}

function isNetwork(text: string): boolean {
  const [address = '', bits, ...rest] = text.trim().split('/')
  const family = isIP(address)
  if (family === 0 || rest.length > 0) return false
  return bits === undefined || (/^\d+$/.test(bits) && Number(bits) <= (family === 4 ? 32 : 128))
}

/** Master keys, separated by commas. */
export function masterKeys() {
  const keysOf = (text: string) => text.split(',').map((key) => key.trim())
  return z
    .string()
    .refine((text) => keysOf(text).every((key) => /^[0-9a-f]{64}$/i.test(key)), {
      error:
        'must be 64 hexadecimal characters, made with `openssl rand -hex 32`; several keys are ' +
        'separated by commas, the current first',
      abort: true,
    })
    .refine(
      (text) => !keysOf(text).some(isWeak),
      'has a key that can be guessed; make one with `openssl rand -hex 32`',
    )
}

/** 32 random bytes have about thirty distinct values. A key with far fewer is not random. */
function isWeak(key: string): boolean {
  return new Set(Buffer.from(key, 'hex')).size < 16
}
