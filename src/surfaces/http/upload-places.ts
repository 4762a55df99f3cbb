import { finished } from 'node:stream'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { refuse } from '#http/refusals'
import { networksOf } from '#platform/networks'
import { tooManyRequests } from '#platform/route-limits'

/** How many uploads are in memory at once: of all accounts, and of each. */
interface PlaceLimits {
  all: number
  of_account: number
}

/** Who sends an upload. */
interface Sender {
  account_id: string | undefined
  network: string
}

const RETRY_SECONDS = 5

/** Takes a place for an upload until it is answered; throws a Problem if none is left. */
export type TakePlace = (request: FastifyRequest, reply: FastifyReply) => void

/**
 * The places of uploads, which bound the memory of a process: rates alone do not, as any number of
 * uploads may arrive at the same time, and slowly. So that two accounts or one network never take
 * them all, a network gets half of the places, and an account a second one only while half of them
 * stay free.
 */
export function openPlaces({ all, of_account }: PlaceLimits): TakePlace {
  const half = Math.ceil(all / 2)
  const taken: Sender[] = []
  return ({ account_id, ip }, reply) => {
    // The widest: a rented /48 of IPv6 has 65,536 of the narrowest.
    const sender = { account_id, network: networksOf(ip).at(-1)!.key }
    const own = taken.filter((each) => each.account_id === account_id).length
    const of_network = taken.filter(({ network }) => network === sender.network).length
    const isGreedy = own > 0 && all - taken.length <= half
    if (own >= of_account || of_network >= half || isGreedy) {
      throw tooManyRequests(RETRY_SECONDS)
    }
    if (taken.length >= all) throw refuse('service_unavailable', { retry_after: RETRY_SECONDS })
    taken.push(sender)
    finished(reply.raw, () => {
      taken.splice(taken.indexOf(sender), 1)
    })
  }
}
