import { type ComponentChildren, type JSX, toChildArray } from 'preact'
import type { Cents } from '#platform/money'
import { Button } from './actions.tsx'
import { Badge, type BadgeTone } from './feedback.tsx'
import { Icon } from './icons.tsx'
import { Price, type PriceFrequency } from './money.tsx'

/** One price of a plan, with its buy link or a note; `amount` is 0 for the free plan. */
export type PlanPrice = {
  amount: Cents
  frequency: PriceFrequency
  note?: string
} & ({ href: string; action: string } | { mark: string; tone?: BadgeTone })

/** A plan: its name, and each of its prices with the link to buy it. */
export function PlanCard(facts: {
  id: string
  name: string
  description?: string
  prices: PlanPrice[]
  /** A label on top, such as "Most chosen"; it also makes this plan's first button primary. */
  featured?: string
  /** Whether its first button is primary although it has no label. */
  is_main?: boolean
}): JSX.Element {
  const isMain = facts.featured || facts.is_main
  const main = isMain ? facts.prices.findIndex((price) => 'href' in price) : undefined
  return (
    <article
      class={`row-span-2 grid grid-rows-subgrid gap-5 rounded-box border bg-base-100 p-6 ${
        facts.featured ? 'border-primary' : 'border-base-300'
      }`}
      aria-labelledby={`plan-${facts.id}`}
    >
      <header class="grid content-start gap-1.5">
        <div class="flex min-h-7 items-center justify-between gap-3">
          <h3 id={`plan-${facts.id}`} class="text-lg font-semibold">
            {facts.name}
          </h3>
          {facts.featured && <Badge tone="good">{facts.featured}</Badge>}
        </div>
        {facts.description && <p class="text-sm text-muted">{facts.description}</p>}
      </header>
      <ul class="grid content-start divide-y divide-base-300 border-t border-base-300">
        {facts.prices.map((price, index) => (
          <li key={index} class="grid gap-3 py-5 last:pb-0">
            <div class="grid gap-0.5">
              <p id={`plan-${facts.id}-${index}`}>
                <Price amount={price.amount} frequency={price.frequency} />
              </p>
              {price.note && <p class="text-xs text-muted">{price.note}</p>}
            </div>
            {'mark' in price ? (
              <p class="flex min-h-11 items-center">
                <Badge tone={price.tone ?? 'good'}>{price.mark}</Badge>
              </p>
            ) : (
              <Button
                href={price.href}
                kind={index === main ? 'primary' : 'plain'}
                describedby={`plan-${facts.id} plan-${facts.id}-${index}`}
                wide
              >
                {price.action}
              </Button>
            )}
          </li>
        ))}
      </ul>
    </article>
  )
}

/**
 * Plans beside each other with their prices aligned, or stacked on a narrow screen. Four plans are
 * two rows of two: a row of three would leave the last one alone. One plan is not as wide as the
 * page.
 */
export function PlanGrid({ children }: { children: ComponentChildren }): JSX.Element {
  const count = toChildArray(children).length
  return <div class={`grid grid-cols-1 gap-4 ${columnsOf(count)}`}>{children}</div>
}

function columnsOf(count: number): string {
  if (count === 1) return 'sm:max-w-md'
  return count === 4 ? 'sm:grid-cols-2' : 'sm:grid-cols-[repeat(auto-fit,minmax(16rem,1fr))]'
}

/** Which features are included in which plan, as a table. */
export function FeatureTable(facts: {
  plans: { id: string; name: string }[]
  features: { name: string; description?: string; plan_ids: string[] }[]
}): JSX.Element {
  return (
    <section class="overflow-x-auto" aria-label="Features of each plan" tabindex={0}>
      <table class="table">
        <thead class="text-sm text-base-content">
          <tr class="border-base-300">
            <th scope="col" class="ps-0 font-medium text-muted">
              Feature
            </th>
            {facts.plans.map(({ id, name }) => (
              <th key={id} scope="col" class="px-2 text-center font-semibold sm:w-28 sm:px-4">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {facts.features.map(({ name, description, plan_ids }) => (
            <tr key={name} class="border-base-300">
              <th scope="row" class="min-w-32 ps-0 pe-2 text-start font-medium wrap-anywhere">
                {name}
                {description && <span class="block font-normal text-muted">{description}</span>}
              </th>
              {facts.plans.map(({ id }) => {
                const has = plan_ids.includes(id)
                return (
                  <td key={id} class={`px-2 sm:px-4 ${has ? 'text-primary' : 'text-muted'}`}>
                    <span class="flex justify-center">
                      <Icon name={has ? 'check' : 'minus'} />
                      <span class="sr-only">{has ? 'Yes' : 'No'}</span>
                    </span>
                  </td>
                )
              })}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}
