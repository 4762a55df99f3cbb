import type { JSX } from 'preact'
import { Button, TextLink } from '#design/actions'
import { AppIcon } from '#design/brand'
import { Badge } from '#design/feedback'
import { SiteLayout } from '#design/layout'
import { adverbOf, type PriceFrequency } from '#design/money'
import { EmptyState } from '#design/panels'
import { FeatureTable, PlanCard, PlanGrid } from '#design/plans'
import { Chapter, RichText } from '#design/reading'
import { siteNav } from '#http/site-menu'
import type { ProductId } from '#platform/ids'
import type { Cents } from '#platform/money'
import { counted } from '#platform/text'

/** A plan on a product page. */
export interface Plan {
  id: ProductId
  name: string
  description: string
  prices: ListedPrice[]
}

/** A price of a plan; amount 0 is a free plan's. */
export interface ListedPrice {
  amount: Cents
  frequency: PriceFrequency
  trial_days: number
  /** The link of the button: the checkout, or the app for a free plan. */
  href: string
}

function noteOf({ amount, frequency, trial_days }: ListedPrice): string {
  if (amount === 0) return 'Free forever. No card needed.'
  if (frequency === null) return 'One-time payment. Nothing renews.'
  const trial = trial_days > 0 ? `${counted(trial_days, 'day')} free. ` : ''
  return `${trial}Renews ${adverbOf(frequency)}. Cancel anytime.`
}

/** The label of a button; prices of one plan differ by their frequency. */
function actionOf(app_name: string, plan: Plan, price: ListedPrice): string {
  if (price.amount === 0) return `Open ${app_name}`
  const text = price.frequency === null ? '' : ` ${adverbOf(price.frequency)}`
  return price.trial_days > 0 ? `Try ${plan.name}${text}` : `Buy ${plan.name}${text}`
}

/** A category, industry or tag, with its link if it has one. */
export interface Label {
  name: string
  href?: string
}

/** A picture of an app in use. */
export interface Screenshot {
  src: string
  /** The file of each width, for the `srcset` attribute. */
  sources: { src: string; width: number }[]
  width: number
  height: number
  alt: string
}

const PREVIEW = 'Preview. Buyers see this page when the app is published and sales are approved.'
const SUSPENDED =
  'Preview. The app is suspended: buyers do not see this page, and no plan can be bought.'

/** An app's product page: plans with prices, and the listing. */
export function ProductPage(facts: {
  /** Whether a seller sees the page before buyers do. */
  is_preview: boolean
  is_suspended: boolean
  name: string
  tagline: string
  /** The path of the icon; undefined if the app has none. */
  icon: string | undefined
  screenshots: Screenshot[]
  description: string
  website: string
  canonical_url: string
  structured_data: object[]
  labels: Label[]
  /** True if the app is only sold on the seller's site, to which the page links. */
  is_external: boolean
  plans: Plan[]
  /** The plan that the seller recommends. */
  highlighted: ProductId | undefined
  on_sale: boolean
  /** Whether no plan can be bought yet, or no longer: the buttons would lead to a 404. */
  is_early: boolean
  /** The bodies are sanitized HTML. */
  sections: { title: string; clean_html: string }[]
  features: { name: string; description: string; plan_ids: ProductId[] }[]
}): JSX.Element {
  const { name, plans } = facts
  const featured = plans.find(({ id }) => id === facts.highlighted)
  return (
    <SiteLayout
      title={`${name} · Purser`}
      description={facts.tagline}
      canonical_url={facts.canonical_url}
      structured_data={facts.structured_data}
      picture={facts.screenshots[0]?.src ?? facts.icon}
      listed={!facts.is_preview}
      notice={facts.is_preview && (facts.is_suspended ? SUSPENDED : PREVIEW)}
      site_nav={siteNav()}
    >
      <header class="flex max-w-2xl flex-wrap items-start gap-x-5 gap-y-3">
        <AppIcon name={name} icon={facts.icon} large />
        <div class="grid min-w-0 flex-1 basis-64 grid-cols-1 gap-2">
          <h1 class="text-3xl font-semibold tracking-tight">{name}</h1>
          <p class="text-lg text-muted">{facts.tagline}</p>
          <p class="text-sm">
            <TextLink href={facts.website}>{new URL(facts.website).host}</TextLink>
          </p>
          <Labels labels={facts.labels} />
        </div>
      </header>
      {facts.is_external ? (
        <p>
          <Button kind="primary" href={facts.website} icon_after="arrow-right">
            Go to {new URL(facts.website).host}
          </Button>
        </p>
      ) : (
        <Plans {...facts} featured={featured} />
      )}
      <Screenshots screenshots={facts.screenshots} />
      {facts.features.length > 0 && plans.length > 0 && (
        <Chapter id="compare" title="Compare plans">
          <FeatureTable plans={plans} features={facts.features} />
        </Chapter>
      )}
      {facts.description && (
        <Chapter id="about" title={`About ${name}`}>
          <p class="max-w-prose whitespace-pre-line">{facts.description}</p>
        </Chapter>
      )}
      {facts.sections.map(({ title, clean_html }, index) => (
        <Chapter key={index} id={`section-${index + 1}`} title={title}>
          <RichText clean_html={clean_html} />
        </Chapter>
      ))}
    </SiteLayout>
  )
}

/** Screenshots of one height in a row that scrolls; each is a link to its whole size. */
function Screenshots({ screenshots }: { screenshots: Screenshot[] }): JSX.Element | null {
  if (screenshots.length === 0) return null
  return (
    <Chapter id="screenshots" title="Screenshots">
      <ul class="-mx-1 flex snap-x scroll-px-1 gap-4 overflow-x-auto p-1 pb-3">
        {screenshots.map((screenshot) => (
          <li key={screenshot.src} class="shrink-0 snap-start">
            <a class="block rounded-box" href={screenshot.src}>
              <ScreenshotImage {...screenshot} />
            </a>
          </li>
        ))}
      </ul>
    </Chapter>
  )
}

function ScreenshotImage({ src, sources, width, height, alt }: Screenshot): JSX.Element {
  const widthAt = (shown_height: number) => Math.round((shown_height * width) / height)
  return (
    <img
      class="h-52 w-auto max-w-none rounded-box border border-base-300 sm:h-80"
      src={src}
      srcset={sources.map((each) => `${each.src} ${each.width}w`).join(', ')}
      sizes={`(min-width: 40rem) ${widthAt(320)}px, ${widthAt(208)}px`}
      width={width}
      height={height}
      alt={alt}
      loading="lazy"
    />
  )
}

function Plans(facts: {
  name: string
  plans: Plan[]
  on_sale: boolean
  is_early: boolean
  is_suspended: boolean
  featured: Plan | undefined
}): JSX.Element {
  const { name, plans, is_early, featured } = facts
  const sold = plans.filter(({ prices }) => prices.some(({ amount }) => amount > 0))
  const only = sold.length === 1 && !featured ? sold[0] : undefined
  const not_on_sale = { mark: facts.is_suspended ? 'Not on sale' : 'Not on sale yet' }
  return (
    <Chapter id="plans" title="Plans">
      {plans.length === 0 ? (
        <EmptyState title="Not for sale here">
          {name} is not for sale on Purser. Check the seller’s website.
        </EmptyState>
      ) : (
        <PlanGrid>
          {plans.map((plan) => (
            <PlanCard
              key={plan.id}
              id={plan.id}
              name={plan.name}
              description={plan.description}
              prices={plan.prices.map(({ href, ...price }) => ({
                ...price,
                note: noteOf({ href, ...price }),
                ...(is_early && price.amount > 0
                  ? { ...not_on_sale, tone: 'neutral' as const }
                  : { href, action: actionOf(name, plan, { href, ...price }) }),
              }))}
              is_main={plan === only}
              {...(plan === featured ? { featured: 'Recommended' } : {})}
            />
          ))}
        </PlanGrid>
      )}
      {facts.on_sale && (
        <p class="text-sm text-muted">
          Prices exclude sales tax. You see the total before you pay. Available in the United
          States.
        </p>
      )}
    </Chapter>
  )
}

function Labels({ labels }: { labels: Label[] }): JSX.Element | null {
  if (labels.length === 0) return null
  return (
    <ul class="mt-1 flex flex-wrap gap-1.5" aria-label="Categories, industries and tags">
      {labels.map(({ name, href }) => (
        <li key={name}>
          {href ? (
            <a class="group rounded-selector hover:underline" href={href}>
              <Badge wraps>{name}</Badge>
            </a>
          ) : (
            <Badge wraps>{name}</Badge>
          )}
        </li>
      ))}
    </ul>
  )
}
