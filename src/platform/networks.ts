/** A network that a caller belongs to, and how many times the points of one caller it may take. */
export interface Network {
  key: string
  share: number
}

/**
 * The networks by which limits count an address, the narrowest first: an IPv4 address alone, and
 * the /64, /56 and /48 of an IPv6 one. A rented /48 contains 65,536 of the first, so the wider ones
 * count too, with larger budgets.
 */
export function networksOf(ip: string): Network[] {
  const groups = groupsOf(ip)
  if (!groups) return [{ key: ipv4Of(ip), share: 1 }]
  const [first, second, third, fourth = '0'] = groups
  const site = `${first}:${second}:${third}`
  const half = (Number.parseInt(fourth, 16) >> 8).toString(16)
  return [
    { key: `${site}:${fourth}`, share: 1 },
    { key: `${site}:${half}/56`, share: 4 },
    { key: `${site}/48`, share: 16 },
  ]
}

/** The same for a caller who also names something, such as a client id. */
export function networksWith(ip: string, name: string): Network[] {
  return networksOf(ip).map(({ key, share }) => ({ key: `${key} ${name}`, share }))
}

/** The caller's own network: an IPv4 address, or the /64 of an IPv6 one. */
export function networkOf(ip: string): string {
  return networksOf(ip)[0]!.key
}

/**
 * The caller's network as it is shown to people, too coarse to identify a person: `203.0.113.*`.
 */
export function coarseNetworkOf(ip: string): string {
  const network = networkOf(ip)
  const [mark, parts] = network.includes(':') ? [':', 3] : ['.', 3]
  return `${network.split(mark).slice(0, parts).join(mark)}${mark}*`
}

/** The first four groups of an IPv6 address; undefined for an IPv4 one, however it is written. */
function groupsOf(ip: string): string[] | undefined {
  if (!ip.includes(':') || MAPPED.test(ip)) return undefined
  const [head = '', tail = ''] = ip.split('::')
  const left = head === '' ? [] : head.split(':')
  const right = tail === '' ? [] : tail.split(':')
  const gap = Array<string>(Math.max(0, 8 - left.length - right.length)).fill('0')
  return [...left, ...(ip.includes('::') ? gap : []), ...right].slice(0, 4)
}

/** An IPv4 address that is written as an IPv6 one: `::ffff:203.0.113.9` or `::ffff:cb00:7109`. */
const MAPPED = /^::ffff:(?:([\d.]+)|([\da-f]{1,4}):([\da-f]{1,4}))$/i

function ipv4Of(ip: string): string {
  const [, dotted, high, low] = MAPPED.exec(ip) ?? []
  if (high === undefined || low === undefined) return dotted ?? ip
  const halves = [high, low].map((half) => Number.parseInt(half, 16))
  return halves.flatMap((half) => [half >> 8, half & 0xff]).join('.')
}
