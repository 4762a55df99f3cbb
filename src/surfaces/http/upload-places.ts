import { finished } from 'node:stream'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { refuse } from '#http/refusals'

/** How many uploads are in memory at once: of all accounts, and of each. */
interface PlaceLimits {
  all: number
  of_account: number
}

const RETRY_SECONDS = 5

/** Takes a place for an upload until it is answered; throws a Problem if none is left. */
export type TakePlace = (request: FastifyRequest, reply: FastifyReply) => void

/**
 * The places of uploads, which bound the memory of a process: rates alone do not, as any number of
 * uploads may arrive at the same time, and slowly.
 */
export function openPlaces({ all, of_account }: PlaceLimits): TakePlace {
  const taken: (string | undefined)[] = []
  return ({ account_id }, reply) => {
    if (taken.filter((each) => each === account_id).length >= of_account) {
      throw refuse('rate_limited', { retry_after: RETRY_SECONDS })
    }
    if (taken.length >= all) throw refuse('service_unavailable', { retry_after: RETRY_SECONDS })
    taken.push(account_id)
    finished(reply.raw, () => {
      taken.splice(taken.indexOf(account_id), 1)
    })
  }
}
