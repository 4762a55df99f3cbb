import type { ComparisonRow } from '#design/comparison'
import { priceText } from '#design/money'
import type { ListedVersion } from '#flows/listing'
import { parseAmount } from '#platform/money'
import { sha256 } from '#platform/secrets'
import { compare } from './compare.ts'

/** What saving the plans would do. */
export interface Review {
  /** The plans that could no longer be bought. */
  removed: string[]
  /** The prices whose buy links would stop working, described. */
  dead_links: string[]
  differences: ComparisonRow[]
}

/** What copying the plans of live mode to test mode would do. */
export interface CopyReview {
  review: Review
  /** The names of plans that only test mode has, and that stay. */
  kept: string[]
  /** Why nothing can be copied. */
  obstacles: string[]
}

/** A digest of what a review shows. It differs once saving would do something else. */
export function digestOf(shown: unknown): string {
  return sha256(JSON.stringify(shown)).toString('base64url')
}

/** The plans for sale, in the order of the form's rows after a save. */
export function activePlans(versions: ListedVersion[]): ListedVersion[] {
  return versions.filter(({ is_active }) => is_active)
}

/** What a change of plans would do, given the plans for sale before and after it. */
export function reviewOf(
  before: ListedVersion[],
  after: ListedVersion[],
  facts: { removed: { kind: string; name: string }[]; dead_buy_links: string[] },
): Review {
  // A new plan gets another ID at every attempt, so its name identifies it.
  const named = after.map((each) =>
    before.some(sameAs(each)) ? each : { ...each, product_public_id: each.name },
  )
  const prices = before.flatMap(({ name, prices }) => prices.map((price) => ({ name, ...price })))
  return {
    removed: facts.removed.filter(({ kind }) => kind === 'version').map(({ name }) => name),
    dead_links: prices
      .filter(({ public_id }) => facts.dead_buy_links.includes(public_id))
      .map(({ name, amount, frequency }) => {
        return `${name}, ${priceText(parseAmount(amount)!, frequency)}`
      }),
    differences: compare({ versions: before }, { versions: named }, new Map()),
  }
}

function sameAs({ product_public_id }: ListedVersion) {
  return (other: ListedVersion) => other.product_public_id === product_public_id
}
