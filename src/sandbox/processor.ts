import {
  type ChargeAnswer,
  type ChargeRequest,
  type DeclineCode,
  type Processor,
  ProcessorUnreachable,
} from '#domain/payments'
import type { Clock } from '#platform/clock'
import type { Database, Db } from '#platform/db'
import { mintId } from '#platform/ids'
import { cents } from '#platform/money'
import type { Random } from '#platform/random'
import * as accounts from './accounts.ts'
import * as balance from './balance.ts'
import * as entries from './card-entries.ts'
import { BEHAVIORS, type Behavior } from './cards.ts'
import * as charges from './charges.ts'
import * as disputes from './disputes.ts'
import * as events from './events.ts'
import { hashOf, requireSameRequest } from './idempotency-keys.ts'
import { payOut } from './payouts.ts'
import * as portals from './portals.ts'
import { openRecords } from './records.ts'
import { refund } from './refunds.ts'
import * as cards from './stored-cards.ts'

/** The options of the processor and its pages. */
export interface ProcessorOptions {
  db: Database
  random: Random
  /** When a lost answer arrives; all other times come from the caller's `now`. */
  clock: Clock
  /** The base URL of the pages, without a trailing slash. */
  base_url: string
}

const KEY_LIFETIME_MS = 24 * 60 * 60 * 1000
const LOST_FOR_MS = 3000
const SMALLEST_CHARGE = cents(50)

/**
 * The sandbox behind the processor port. A charge's key is kept for 24 hours: repeating the request
 * returns the same answer, another request throws KeyConflict. Pending requests, closed keys, and
 * the keys of refunds and payouts never expire.
 */
export function openProcessor(options: ProcessorOptions): Processor {
  const { db, random, base_url } = options
  return {
    name: 'sandbox',
    legal_name: 'the built-in test processor',
    is_test_mode: true,
    has_test_clock: true,
    smallest_charge: SMALLEST_CHARGE,
    renewals_at_once: 64,
    // Its pages are on the service's own origin.
    page_origins: [],
    ...openCharges(options),
    ...openRecords(db),
    // Its records are in the same database, so a restore covers both.
    async *unrecognized() {},
    async openCardEntry(now, request) {
      const id = mintId(random, 'ce')
      await entries.open(db, now, { ...request, id })
      return { id, url: `${base_url}/sandbox/card-entries/${id}` }
    },
    readCardEntry: (id) => entries.readCard(db, id),
    async openPortal(now, request) {
      const id = mintId(random, 'ptl')
      await portals.open(db, now, { ...request, id })
      return { id, url: `${base_url}/sandbox/portals/${id}` }
    },
    readPortal: (id) => portals.readCard(db, id),
    refund: (now, request) => refund(options, now, request),
    async answerDispute(now, request) {
      await db.tx((tx) => disputes.answer(tx, random, now, request))
    },
    async openAccount(now, request) {
      return { account_id: await accounts.open(db, random, now, request) }
    },
    async openOnboarding(now, request) {
      const id = await accounts.openOnboarding(db, random, now, request)
      return { url: `${base_url}/sandbox/accounts/${id}` }
    },
    readAccount: async (account_id) => accounts.payeeOf(await accounts.read(db, account_id)),
    balanceTransactions: (from, before) => balance.list(db, from, before),
    readBalance: (now) => balance.read(db, now),
    payOut: (now, request) => payOut(options, now, request),
    events: (now, page) => events.due(db, now, page),
    acknowledge: (event_id) => events.acknowledge(db, event_id),
  }
}

/** Charges, and looking up their results. */
function openCharges(options: ProcessorOptions): Pick<Processor, 'charge' | 'find' | 'close'> {
  const { db, random, clock, base_url } = options

  const answer = (charge: charges.SandboxCharge): ChargeAnswer => {
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
    async charge(now, request) {
      // Checked before the key is taken, as Stripe does, so that the request is not stored.
      if (request.amount > 0 && request.amount < SMALLEST_CHARGE) return tooSmall
      return answer(await chargeOnce(options, now, request))
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

/** Decides a request once; a known request returns its earlier result. */
async function chargeOnce(
  options: ProcessorOptions,
  now: Date,
  request: ChargeRequest,
): Promise<charges.SandboxCharge> {
  if (request.amount < 0) throw new RangeError('the amount of a charge must not be negative')
  const { db, random } = options
  const { amount, currency, card_token, description, off_session, key } = request
  const fields = [amount, currency, card_token, description, off_session, request.return_url]
  const request_hash = hashOf([...fields, request.statement_suffix])
  const new_charge = { ...request, id: mintId(random, 'ch'), request_hash }
  for (;;) {
    const card = await cards.findState(db, card_token)
    // A request that is lost leaves nothing, as if it never arrived.
    const behavior: Behavior | undefined = card && BEHAVIORS[card.behavior]
    const isLost = behavior?.loses === 'request'
    const charge =
      card && !isLost ? await recordNew(options, now, { ...new_charge, card }) : undefined
    if (charge) return charge
    const expired = new Date(now.getTime() - KEY_LIFETIME_MS)
    if (await charges.releaseKey(db, key, expired)) continue
    const known = await charges.find(db, key)
    if (known) return requireSameRequest(known, request_hash)
    if (!card) throw new Error('there is no such card')
    if (isLost) throw unreachable()
    // Another charge changed the card since it was read.
  }
}

/** Records a new request with its result, and the dispute that follows from it. */
async function recordNew(
  { db, random, clock }: ProcessorOptions,
  now: Date,
  request: Omit<charges.NewCharge, 'result' | 'answers_at'>,
): Promise<charges.SandboxCharge | undefined> {
  const { id, amount, card } = request
  const behavior: Behavior = BEHAVIORS[card.behavior]
  const outcome = decide(behavior, card, request)
  const isChallenge = outcome === 'challenge'
  const result = isChallenge
    ? ({ status: 'action_required', challenge_id: mintId(random, 'chl') } as const)
    : outcome
  const isAnswerLost = !isChallenge && behavior.loses === 'answer'
  const answers_at = isAnswerLost ? new Date(clock.now().getTime() + LOST_FOR_MS) : null
  const add = (to: Db) => charges.add(to, now, { ...request, result, answers_at })
  const { disputes: disputed } = behavior
  if (result.status !== 'succeeded' || amount === 0 || !disputed) return await add(db)
  return await db.tx(async (tx) => {
    const charge = await add(tx)
    if (!charge) return undefined
    const is_inquiry = disputed === 'inquiry'
    const reason = is_inquiry ? 'general' : disputed
    await disputes.open(tx, random, now, { charge_id: id, amount, reason, is_inquiry })
    return charge
  })
}

const tooSmall = { status: 'refused', reason: 'amount_too_small' } as const

function unreachable(): ProcessorUnreachable {
  return new ProcessorUnreachable('the sandbox processor did not answer')
}

/** The result of a request by its card's behavior: an outcome, or a challenge. */
export function decide(
  behavior: Behavior,
  card: { authenticated: boolean; declines: number; failing_renewals?: number },
  request: { amount: number; off_session: boolean },
): charges.ChargeResult | 'challenge' {
  const { declines, verifies, challenges, failing_renewals = 0 } = behavior
  if (declines && !(verifies && request.amount === 0)) return declined(declines)
  if (challenges === 'always' || (challenges === 'once' && !card.authenticated)) {
    return request.off_session ? declined('authentication_required') : 'challenge'
  }
  const is_failing = card.declines < failing_renewals || (card.failing_renewals ?? 0) > 0
  if (request.off_session && is_failing) return declined('generic_decline')
  return succeeded
}

const succeeded = { status: 'succeeded' } as const

function declined(decline_code: DeclineCode): charges.ChargeResult {
  return { status: 'declined', decline_code }
}

/**
 * Ends a challenge: its request succeeds, or is declined with `authentication_failed`. A finished
 * challenge and a closed request are not changed.
 */
export async function endChallenge(db: Database, id: string, passed: boolean): Promise<void> {
  await db.tx(async (tx) => {
    const charge = await charges.lockChallenged(tx, id)
    if (!charge) return
    if (passed) await cards.authenticate(tx, charge.card_token)
    const outcome = passed ? succeeded : declined('authentication_failed')
    await charges.settle(tx, charge.id, outcome)
  })
}
