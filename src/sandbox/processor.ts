import {
  type ChargeAnswer,
  type ChargeRequest,
  type DeclineCode,
  KeyConflict,
  type Processor,
  ProcessorUnreachable,
} from '#domain/payments'
import type { Clock } from '#platform/clock'
import type { Database, Db } from '#platform/db'
import { mintId } from '#platform/ids'
import type { Random } from '#platform/random'
import { sha256 } from '#platform/secrets'
import * as entries from './card-entries.ts'
import { BEHAVIOURS, type Behaviour } from './cards.ts'
import * as charges from './charges.ts'

/** What the processor works with; the card pages need the same. */
export interface ProcessorOptions {
  db: Database
  random: Random
  /** Tells when a lost answer arrives; everything else has the caller's `now`. */
  clock: Clock
  /** The address under which the buyer's browser finds the pages, without a slash at its end. */
  base_url: string
}

const KEY_LIFETIME_MS = 24 * 60 * 60 * 1000
const LOST_FOR_MS = 3000

/**
 * The sandbox behind the processor's port. A key is kept for 24 hours: the same request under it
 * gets the same answer, another one throws KeyConflict. A request that waits for its buyer, and a
 * key that was closed, are kept for good.
 */
export function openProcessor(options: ProcessorOptions): Processor {
  const { db, random, clock, base_url } = options

  const answer = (charge: charges.Charge): ChargeAnswer => {
    if (charge.answers_at && clock.now() < charge.answers_at) throw unreachable()
    switch (charge.status) {
      case 'succeeded':
        return { status: 'succeeded', charge_id: charge.id }
      case 'declined':
        return { status: 'declined', decline_code: charge.decline_code! }
      case 'action_required': {
        const action_url = `${base_url}/sandbox/challenges/${charge.challenge_id}`
        return { status: 'action_required', action_url }
      }
      case 'closed':
        return { status: 'closed' }
    }
  }

  return {
    name: 'sandbox',
    async openCardEntry(now, request) {
      const id = mintId(random, 'ce')
      await entries.open(db, now, { ...request, id })
      return { id, url: `${base_url}/sandbox/card-entries/${id}` }
    },
    async readCardEntry(id) {
      return await entries.readCard(db, id)
    },
    async charge(now, request) {
      const charge = await db.tx((tx) => take(tx, options, now, request))
      return answer(charge)
    },
    async find(key) {
      const charge = await charges.find(db, key)
      return charge && answer(charge)
    },
    async close(now, key) {
      return answer(await db.tx((tx) => charges.close(tx, now, mintId(random, 'ch'), key)))
    },
  }
}

/** Decides a request once; a request that is known keeps what was decided. */
async function take(
  db: Db,
  { random, clock }: ProcessorOptions,
  now: Date,
  request: ChargeRequest,
): Promise<charges.Charge> {
  if (request.amount < 0) throw new RangeError('a charge takes no negative amount')
  const id = mintId(random, 'ch')
  const request_hash = hashOf(request)
  await charges.releaseKey(db, request.key, new Date(now.getTime() - KEY_LIFETIME_MS))
  if (!(await charges.begin(db, now, { ...request, id, request_hash }))) {
    return sameRequest(await charges.find(db, request.key), request_hash)
  }
  const card = await charges.lockCard(db, request.card_token)
  const behaviour: Behaviour = BEHAVIOURS[card.behaviour]
  // Thrown inside of the transaction: the request never arrived, so nothing is left of it.
  if (behaviour.loses === 'request') throw unreachable()
  const outcome = decide(behaviour, card, request)
  if (outcome === 'challenge') return await charges.challenge(db, id, mintId(random, 'chl'))
  const lost = behaviour.loses === 'answer'
  const answers_at = lost ? new Date(clock.now().getTime() + LOST_FOR_MS) : null
  return await charges.settle(db, id, outcome, answers_at)
}

function hashOf(request: ChargeRequest): string {
  const { amount, currency, card_token, description, off_session, return_url } = request
  const said = [amount, currency, card_token, description, off_session, return_url]
  return sha256(JSON.stringify(said)).toString('hex')
}

function sameRequest(known: charges.Charge | undefined, request_hash: string): charges.Charge {
  if (!known) throw new Error('a key is taken by no request')
  if (known.request_hash !== null && known.request_hash !== request_hash) {
    throw new KeyConflict('this key was used for a request that said something else')
  }
  return known
}

function unreachable(): ProcessorUnreachable {
  return new ProcessorUnreachable('the sandbox processor did not answer')
}

/** What a card's behaviour makes of a request: how it ends, or that the buyer is challenged. */
export function decide(
  behaviour: Behaviour,
  card: { authenticated: boolean; declines: number },
  request: { amount: number; off_session: boolean },
): charges.Outcome | 'challenge' {
  const { declines, verifies, challenges, failing_renewals = 0 } = behaviour
  if (declines && !(verifies && request.amount === 0)) return declined(declines)
  if (challenges === 'always' || (challenges === 'once' && !card.authenticated)) {
    return request.off_session ? declined('authentication_required') : 'challenge'
  }
  if (request.off_session && card.declines < failing_renewals) return declined('generic_decline')
  return succeeded
}

const succeeded = { status: 'succeeded' } as const

function declined(decline_code: DeclineCode): charges.Outcome {
  return { status: 'declined', decline_code }
}

/**
 * Ends a challenge: the request it stands for succeeds, or is declined `authentication_failed`.
 * A challenge that is over, or whose request was closed, changes nothing any more.
 */
export async function endChallenge(db: Database, id: string, passed: boolean): Promise<void> {
  await db.tx(async (tx) => {
    const charge = await charges.lockChallenged(tx, id)
    if (!charge) return
    if (passed) await charges.authenticateCard(tx, charge.card_token)
    const outcome = passed ? succeeded : declined('authentication_failed')
    await charges.settle(tx, charge.id, outcome)
  })
}
