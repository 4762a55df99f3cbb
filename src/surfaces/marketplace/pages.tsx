import type { JSX } from 'preact'
import { Button, TextLink } from '#design/actions'
import { Monogram } from '#design/brand'
import { SiteLayout } from '#design/layout'
import type { Frequency } from '#design/money'
import { EmptyState, Heading } from '#design/panels'
import { PlanCard, PlanGrid } from '#design/plans'

/** The visitor's corner of the header. */
export interface Visitor {
  email: string | undefined
}

export const NAV = [{ label: 'API', href: '/api/v1/docs/' }]

/** The visitor's corner as a link. */
export function accountLink({ email }: Visitor) {
  return email === undefined
    ? { label: 'Sign in', href: '/signin/' }
    : { label: 'Your purchases', href: '/account/' }
}

/** One plan on a product page. */
export interface Plan {
  id: string
  name: string
  description: string
  prices: PlanPrice[]
}

/** A price of a plan; amount 0 is the free plan's. */
export interface PlanPrice {
  amount_cents: number
  frequency: Frequency
  trial_days: number
  /** Where the button leads: to the checkout, or to the app for the free plan. */
  href: string
}

const ADVERBS = { day: 'daily', week: 'weekly', month: 'monthly', year: 'yearly' } as const

function noteOf({ amount_cents, frequency, trial_days }: PlanPrice): string {
  if (amount_cents === 0) return 'No card, no end.'
  if (frequency === null) return 'Yours for good. Nothing renews.'
  const trial = trial_days > 0 ? `${trial_days} days free. ` : ''
  return `${trial}Renews every ${frequency} until you turn it off.`
}

/** What a button says; two prices of one plan are told apart by how often they are paid. */
function actionOf(app_name: string, plan: Plan, price: PlanPrice): string {
  if (price.amount_cents === 0) return `Open ${app_name}`
  const words = price.frequency === null ? '' : ` ${ADVERBS[price.frequency]}`
  return price.trial_days > 0 ? `Try ${plan.name}${words}` : `Buy ${plan.name}${words}`
}

/** An app's product page: its plans, each with its prices. */
export function ProductPage(facts: {
  visitor: Visitor
  name: string
  tagline: string
  description: string
  website: string
  canonical_url: string
  plans: Plan[]
  on_sale: boolean
}): JSX.Element {
  const { name, plans } = facts
  const featured = plans.find(({ prices }) => prices.some(({ frequency }) => frequency !== null))
  return (
    <SiteLayout
      title={`${name} · Purser`}
      description={facts.tagline}
      canonical_url={facts.canonical_url}
      listed
      nav={NAV}
      account={accountLink(facts.visitor)}
    >
      <header class="flex max-w-2xl flex-wrap items-start gap-x-5 gap-y-3">
        <Monogram name={name} large />
        <div class="grid min-w-0 flex-1 basis-64 gap-2">
          <h1 class="text-3xl font-semibold tracking-tight">{name}</h1>
          <p class="text-lg text-muted">{facts.tagline}</p>
          <p class="text-sm">
            <TextLink href={facts.website}>{new URL(facts.website).host}</TextLink>
          </p>
        </div>
      </header>
      <section aria-labelledby="plans" class="grid gap-4">
        <h2 id="plans" class="text-xl font-semibold">
          Plans
        </h2>
        {plans.length === 0 ? (
          <EmptyState title="Nothing to buy at the moment">
            {name} is not on sale here. Perhaps it is on its own site.
          </EmptyState>
        ) : (
          <PlanGrid>
            {plans.map((plan) => (
              <PlanCard
                key={plan.id}
                id={plan.id}
                name={plan.name}
                description={plan.description}
                prices={plan.prices.map((price) => ({
                  ...price,
                  action: actionOf(name, plan, price),
                  note: noteOf(price),
                }))}
                {...(plan === featured ? { featured: 'Most flexible' } : {})}
              />
            ))}
          </PlanGrid>
        )}
        {facts.on_sale && (
          <p class="text-sm text-muted">
            Prices are before sales tax, which is shown before you pay. For buyers in the United
            States.
          </p>
        )}
      </section>
      {facts.description && (
        <section aria-labelledby="about" class="grid max-w-prose gap-3">
          <h2 id="about" class="text-xl font-semibold">
            About {name}
          </h2>
          <p class="whitespace-pre-line">{facts.description}</p>
        </section>
      )}
    </SiteLayout>
  )
}

/** A page of plain words: terms, privacy, refunds, help. */
export function WordsPage(facts: { title: string; paragraphs: string[] }): JSX.Element {
  return (
    <SiteLayout
      title={`${facts.title} · Purser`}
      nav={NAV}
      account={accountLink({ email: undefined })}
    >
      <Heading title={facts.title} />
      <div class="grid max-w-prose gap-4">
        {facts.paragraphs.map((paragraph) => (
          <p key={paragraph}>{paragraph}</p>
        ))}
      </div>
      <p>
        <Button href="/">Go to the home page</Button>
      </p>
    </SiteLayout>
  )
}
