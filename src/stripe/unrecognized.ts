import type { Unrecognized } from '#domain/payments'
import { readId } from '#platform/ids'
import { cents } from '#platform/money'
import type { StripeParts } from './client.ts'
import type { CreatedObject } from './idempotent-requests.ts'
import { pagesOf } from './pages.ts'
import * as requests from './requests.ts'

/**
 * Charges, refunds and transfers whose keys have the form of ours, and which this database never
 * requested: another state of this database did, or another installation on the same account.
 */
export async function* listUnrecognized(
  parts: StripeParts,
  ...within: readonly [from: Date, before: Date]
): AsyncIterable<Unrecognized> {
  const { paymentIntents, refunds, transfers } = parts.stripe
  for await (const page of pagesOf(parts, 'charges', within, (request) =>
    paymentIntents.list(request),
  )) {
    const moved = page.filter(({ amount_received }) => amount_received > 0)
    yield* unrecognizedOf(parts, 'charge', 'att', moved)
  }
  for await (const page of pagesOf(parts, 'refunds', within, (request) => refunds.list(request))) {
    yield* unrecognizedOf(parts, 'refund', 'ref', page)
  }
  for await (const page of pagesOf(parts, 'payouts', within, (request) =>
    transfers.list(request),
  )) {
    const kept = page.filter(({ amount, amount_reversed }) => amount_reversed < amount)
    yield* unrecognizedOf(parts, 'payout', 'po', kept)
  }
}

type ListedObject = CreatedObject & { created: number; amount: number }

async function* unrecognizedOf(
  { db }: StripeParts,
  kind: Unrecognized['kind'],
  prefix: 'att' | 'ref' | 'po',
  page: ListedObject[],
): AsyncIterable<Unrecognized> {
  const ours = page.filter(({ metadata }) => readId(prefix, metadata?.key) !== undefined)
  const keys = ours.map(({ metadata }) => metadata!.key!)
  const known = await requests.findAll(db, { keys, object_ids: [] })
  for (const { id, created, amount, metadata } of ours) {
    if (known.some(({ key }) => key === metadata!.key)) continue
    yield { kind, id, at: new Date(created * 1000), amount: cents(amount) }
  }
}
