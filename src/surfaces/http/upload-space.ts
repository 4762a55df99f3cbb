import { finished } from 'node:stream'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { refuse } from '#http/refusals'
import { networksOf } from '#platform/networks'
import { tooManyRequests } from '#platform/route-limits'

/** What uploads take at once: the bytes of all, the bytes of one file, the files of an account. */
interface SpaceLimits {
  bytes: number
  bytes_of_file: number
  files_of_account: number
}

/** An upload that is not answered yet, and who sends it. */
interface Upload {
  account_id: string | undefined
  network: string
  bytes: number
}

const RETRY_SECONDS = 5

/** Takes space for an upload until it is answered; throws a Problem if there is not enough. */
export type TakeSpace = (request: FastifyRequest, reply: FastifyReply) => void

/**
 * The space of uploads, which bounds the memory of a process: rates alone do not, as any number of
 * uploads may arrive at the same time. An upload takes the bytes that it declares, so small files
 * find space beside large ones. An account or network takes at most as much as it leaves free, so
 * several of them never take everything.
 */
export function openSpace({ bytes: all, bytes_of_file, files_of_account }: SpaceLimits): TakeSpace {
  const taken: Upload[] = []
  return ({ account_id, ip, headers }, reply) => {
    const upload = {
      account_id,
      // The widest: a rented /48 of IPv6 has 65,536 of the narrowest.
      network: networksOf(ip).at(-1)!.key,
      bytes: Math.min(Number(headers['content-length']), bytes_of_file),
    }
    const free = all - bytesOf([...taken, upload])
    const of_account = taken.filter((each) => each.account_id === account_id)
    const of_network = taken.filter(({ network }) => network === upload.network)
    const own = Math.max(bytesOf(of_account), bytesOf(of_network))
    const fits = own + upload.bytes <= free
    if (of_account.length >= files_of_account || (own > 0 && !fits)) {
      throw tooManyRequests(RETRY_SECONDS)
    }
    if (!fits) throw refuse('service_unavailable', { retry_after: RETRY_SECONDS })
    taken.push(upload)
    finished(reply.raw, () => {
      taken.splice(taken.indexOf(upload), 1)
    })
  }
}

function bytesOf(uploads: Upload[]): number {
  return uploads.reduce((sum, { bytes }) => sum + bytes, 0)
}
