import type { FastifyRequest } from 'fastify'
import type { World } from '#flows/world'
import type { LicenseId } from '#platform/ids'
import { coarseNetworkOf } from '#platform/networks'

/** Counts that the owner saw a key, as evidence for disputes. */
export function recordKeyShown(
  { uses, clock }: World,
  request: FastifyRequest,
  { license_id }: { license_id: LicenseId },
): void {
  const network = coarseNetworkOf(request.ip)
  uses.add({ license_id, kind: 'key_shown', network }, clock.now())
}
