import type { RefundActor, RefundInput } from '#flows/refund'
import type { ActorOf } from '#platform/audit'
import type { LicenseId, PriceId } from '#platform/ids'

/** How the processor behaves towards a node. */
export type ProcessorState = 'answers' | 'is silent' | 'is late' | 'fails'

/** Work of the background that a fault asks for. */
export interface RunFacts {
  work: 'renew' | 'upgrade' | 'payout' | 'refund' | 'recover'
  refund?: { actor: RefundActor; input: RefundInput }
  upgrade?: { actor: ActorOf<'buyer'>; license_id: LicenseId; price_id: PriceId }
}

/** What a fault says to a node. Each is answered by one `done` with the steps of the last run. */
export type Command =
  | { kind: 'clock'; ahead_ms: number }
  | { kind: 'processor'; state: ProcessorState }
  /** The next POST to a path is a run, killed before this step. */
  | { kind: 'arm'; path: string; kill_at: number | undefined }
  /** Asks for the steps of the last run. */
  | { kind: 'steps' }
  | { kind: 'run'; facts: RunFacts; kill_at: number | undefined }
