import { BlockList, isIPv6 } from 'node:net'
import ipaddr from 'ipaddr.js'

/** A network that a caller belongs to, and how many times the points of one caller it may take. */
export interface Network {
  key: string
  share: number
}

/**
 * The networks by which limits count an address, narrowest first: an IPv4 address alone, and the
 * /64, /56 and /48 of an IPv6 one. A rented /48 contains 65,536 of the first, so the wider ones
 * count too, with larger budgets.
 */
export function networksOf(ip: string): Network[] {
  const groups = parse(ip)
  if (typeof groups === 'string') return [{ key: groups, share: 1 }]
  const [site, fourth = 0] = [groups.slice(0, 3).map(hex).join(':'), groups[3]]
  return [
    { key: `${site}:${hex(fourth)}`, share: 1 },
    { key: `${site}:${hex(fourth >> 8)}/56`, share: 4 },
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

/** Where the other end of a connection is. */
export type Reach = 'machine' | 'private' | 'public'

/** Whether an address is this machine's, one of a private network, or one of the internet. */
export function reachOf(ip: string): Reach {
  const range = ipaddr.process(ip).range()
  if (range === 'loopback') return 'machine'
  return range === 'unicast' ? 'public' : 'private'
}

/**
 * The groups of an IPv6 address, as numbers; for an IPv4 address, however it is written, its dotted
 * text. A text that is not an address, which a proxy may send, is returned as it is.
 */
function parse(ip: string): number[] | string {
  // Most callers have an IPv4 address, which needs no parsing.
  if (!ip.includes(':') || !ipaddr.isValid(ip)) return ip
  const address = ipaddr.process(ip)
  return address.kind() === 'ipv6' ? (address as ipaddr.IPv6).parts : address.toString()
}

function hex(group: number): string {
  return group.toString(16)
}

/**
 * Whether an address is one of these proxies or in one of these networks (`10.0.0.0/8`), whose
 * headers are trusted; false if there are none. Uses Node's own block list, as Fastify's parses
 * each address at each request.
 */
export function trustOnly(proxies: string[]): false | ((address: string) => boolean) {
  if (proxies.length === 0) return false
  const trusted = new BlockList()
  for (const proxy of proxies) {
    const [address = '', bits] = proxy.split('/')
    const family = isIPv6(address) ? 'ipv6' : 'ipv4'
    if (bits === undefined) trusted.addAddress(address, family)
    else trusted.addSubnet(address, Number(bits), family)
  }
  // Most requests come from the same proxy as the one before.
  let last = { address: '', isTrusted: false }
  return (address) => {
    if (address !== last.address) {
      const family = isIPv6(address) ? 'ipv6' : 'ipv4'
      last = { address, isTrusted: trusted.check(address, family) }
    }
    return last.isTrusted
  }
}
