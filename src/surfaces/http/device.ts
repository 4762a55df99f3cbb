import type { Device } from '#domain/identity'
import type { Origin } from '#platform/audit'
import type { Locale } from '#platform/language/locale'
import { coarseNetworkOf } from '#platform/networks'
import type { ServedRequest } from '#platform/served-request'

/** The first match counts, as most browsers also name others. */
const FAMILIES: [name: string, sign: RegExp][] = [
  ['Edge', /\bEdg/],
  ['Opera', /\bOPR\//],
  ['Firefox', /\bFirefox\/|\bFxiOS\//],
  ['Chrome', /Chrome\/|\bCriOS\//],
  ['Safari', /\bSafari\//],
]
const SYSTEMS: [name: string, sign: RegExp][] = [
  ['Android', /\bAndroid\b/],
  ['iPhone', /\biPhone\b/],
  ['iPad', /\biPad\b/],
  ['Windows', /\bWindows\b/],
  ['Mac', /\bMacintosh\b/],
  ['Linux', /\bLinux\b|\bX11\b/],
]

const UNKNOWN = 'Unknown browser'
const ON = ' on '
const MAX_AGENT_LENGTH = 200

/** The origin of a request, for the audit log. */
export function originOf(request: ServedRequest): Origin {
  const agent = (request.headers['user-agent'] ?? '').slice(0, MAX_AGENT_LENGTH)
  return { address: request.ip, agent, request_id: request.id }
}

/** The name of this browser as sessions and agents record it, which is in English. */
export function deviceOf(request: ServedRequest): Device {
  const agent = request.headers['user-agent'] ?? ''
  const first = (signs: typeof FAMILIES) => signs.find(([, sign]) => sign.test(agent))?.[0]
  const system = first(SYSTEMS)
  const family = first(FAMILIES) ?? UNKNOWN
  const browser = system ? `${family}${ON}${system}` : family
  return { browser, network: coarseNetworkOf(request.ip) }
}

/** The recorded name of a browser, in a language. */
export function browserText(recorded: string, { t }: Locale): string {
  const [family = '', system] = recorded.split(ON)
  const browser = family === UNKNOWN ? t('device.unknown') : family
  return system ? t('device.browser_on', { browser, system }) : browser
}
