import { buyLink, type Price } from '@purser/client'
import { money, type Plan, type PriceList, plans, yearlySaving } from '../prices.ts'
import { useBrand } from './layout.tsx'

/** What a buy link needs in addition to its price. */
export type Shop = {
  base_url: string
  /** Where the buyer returns; by default the app's login URL. */
  next?: string
}

const rhythm = { day: 'daily', week: 'weekly', month: 'monthly', year: 'yearly' } as const

/** The plans as columns, from the live prices; a notice if there are none. */
export function Plans({
  list,
  shop,
  with_free,
}: {
  list: PriceList
  shop: Shop
  with_free: boolean
}) {
  if (list.kind !== 'prices') return <NoPrices kind={list.kind} />
  return (
    <div class="plans">
      {with_free && list.prices.has_free_tier && <FreePlan />}
      {plans(list.prices).map((plan) => (
        <PaidPlan key={plan.product_id} plan={plan} shop={shop} />
      ))}
    </div>
  )
}

function FreePlan() {
  return (
    <section class="plan" aria-labelledby="plan-free">
      <h3 id="plan-free">Free</h3>
      <ul class="prices">
        <li class="price">
          <p>
            <strong>$0</strong>
          </p>
          <p class="quiet">No account, no card.</p>
          <a class="button" href="/#today">
            See today’s tide
          </a>
        </li>
      </ul>
      <ul class="features">
        <li>Today’s highs and lows</li>
        <li>The water right now</li>
      </ul>
    </section>
  )
}

function PaidPlan({ plan, shop }: { plan: Plan; shop: Shop }) {
  const id = `plan-${plan.product_id}`
  return (
    <section class="plan is-paid" aria-labelledby={id}>
      <h3 id={id}>{plan.name}</h3>
      <ul class="prices">
        {plan.prices.map((price) => (
          <PriceRow key={price.public_id} price={price} plan={plan} shop={shop} />
        ))}
      </ul>
      <ul class="features">
        <li>Seven days of highs and lows</li>
        <li>The best hours to walk</li>
        <li>The sea-life guide, zone by zone</li>
      </ul>
    </section>
  )
}

function PriceRow({ price, plan, shop }: { price: Price; plan: Plan; shop: Shop }) {
  const saving = yearlySaving(price, plan)
  const text = [plan.name, price.frequency && rhythm[price.frequency]].filter(Boolean).join(' ')
  return (
    <li class="price">
      <p>
        <strong>{money(price)}</strong> {price.frequency ? `a ${price.frequency}` : 'once'}
        {saving > 0 && <span class="pill">Save {saving}%</span>}
      </p>
      <p class="quiet">{price.is_recurring ? 'Renews until you cancel.' : 'Yours for good.'}</p>
      <a class="button is-buy" href={buyLink(shop.base_url, price.public_id, { next: shop.next })}>
        Buy {text}
      </a>
    </li>
  )
}

function NoPrices({ kind }: { kind: 'not_on_sale' | 'unavailable' }) {
  const { name } = useBrand()
  return (
    <div class="notice" role="status">
      {kind === 'not_on_sale' ? (
        <>
          <h3>Not on sale yet</h3>
          <p>{name}’s paid plans are not open to buyers at the moment. Today’s tide stays free.</p>
        </>
      ) : (
        <>
          <h3>The prices are out of reach</h3>
          <p>
            They come live from our checkout, which is not answering. Nothing is wrong with a
            license you already have.
          </p>
          <form>
            <button class="button" type="submit">
              Try again
            </button>
          </form>
        </>
      )}
    </div>
  )
}
