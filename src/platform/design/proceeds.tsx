import type { JSX } from 'preact'
import { type FeeRate, proceedsText } from './browser/proceeds.ts'

/** The fee of a sale on the seller's own site, and of one that the marketplace brought. */
export interface ProceedsRates {
  own: FeeRate
  marketplace: FeeRate
}

/** What the seller receives of the price in a field; the script updates it while it is typed. */
export function Proceeds(facts: { id: string; amount: string; rates: ProceedsRates }): JSX.Element {
  const { id, amount, rates } = facts
  return (
    <span data-proceeds={id} data-rates={JSON.stringify(rates)}>
      {proceedsText(amount, rates)}
    </span>
  )
}
