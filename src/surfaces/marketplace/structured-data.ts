import { formatAmount } from '#platform/money'
import type { Operator } from '#platform/operator'
import type { ListedPrice, Plan } from './product-page.tsx'

/** The home page for search engines: the site, and who runs it. */
export function homeData(base_url: string, operator: Operator): object[] {
  return [
    { '@type': 'WebSite', name: 'Purser', url: `${base_url}/` },
    {
      '@type': 'Organization',
      name: operator.legal_name,
      url: `${base_url}/`,
      logo: `${base_url}/icon-512.png`,
      contactPoint: {
        '@type': 'ContactPoint',
        contactType: 'customer support',
        email: operator.support_email,
        url: operator.support_url,
      },
    },
  ]
}

/** UN/CEFACT codes of how long one payment lasts. */
const UNITS = { day: 'DAY', week: 'WEE', month: 'MON', year: 'ANN' } as const

/** A product page for search engines: the app, and an offer for each of its prices. */
export function appData(facts: {
  name: string
  tagline: string
  canonical_url: string
  categories: string[]
  plans: Plan[]
  /** Paths of pictures. */
  icon: string | undefined
  screenshots: string[]
}): object[] {
  const { name, tagline, canonical_url, categories, plans, icon } = facts
  const whole = (path: string) => new URL(path, canonical_url).href
  const screenshot = facts.screenshots.map(whole)
  const offers = plans.flatMap((plan) => plan.prices.map((price) => offerOf(facts, plan, price)))
  return [
    {
      '@type': 'SoftwareApplication',
      name,
      description: tagline,
      url: canonical_url,
      operatingSystem: 'Web',
      applicationCategory: categories[0] ?? 'WebApplication',
      ...(icon ? { image: whole(icon) } : {}),
      ...(screenshot.length > 0 ? { screenshot } : {}),
      ...(offers.length > 0 ? { offers } : {}),
    },
  ]
}

function offerOf(
  { canonical_url }: { canonical_url: string },
  plan: Plan,
  { amount, frequency }: ListedPrice,
): object {
  const price = { price: formatAmount(amount), priceCurrency: 'USD' }
  return {
    '@type': 'Offer',
    name: plan.name,
    url: canonical_url,
    ...price,
    availability: 'https://schema.org/InStock',
    ...(frequency
      ? {
          priceSpecification: {
            '@type': 'UnitPriceSpecification',
            ...price,
            unitCode: UNITS[frequency],
            billingDuration: 1,
          },
        }
      : {}),
  }
}
