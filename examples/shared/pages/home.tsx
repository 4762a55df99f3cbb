import type { ComponentChildren } from 'preact'
import type { PriceList } from '../prices.ts'
import { Layout, useBrand } from './layout.tsx'
import { Plans, type Shop } from './plans.tsx'
import { TideCard } from './tide-chart.tsx'
import { ZoneIcon, zones } from './zones.tsx'

type Facts = {
  now: number
  list: PriceList
  shop: Shop
  signed_in: boolean
  /** The content below the plans. */
  children: ComponentChildren
}

export function HomePage({ now, list, shop, signed_in, children }: Facts) {
  const { name } = useBrand()
  return (
    <Layout signed_in={signed_in}>
      <section class="hero">
        <div class="wide hero-row">
          <div>
            <h1>Be there when the sea steps back.</h1>
            <p class="lead">
              Twice a day the reef comes up for air. {name} shows you when, how far the water falls,
              and who you will meet down there.
            </p>
            <p class="actions">
              <a class="button is-strong" href="#plans">
                See the plans
              </a>
              <a class="button" href="#today">
                Today’s tide is free
              </a>
            </p>
          </div>
          <TideCard now={now} />
        </div>
        <Waves />
      </section>
      <section class="band" aria-labelledby="uncovers">
        <div class="wide">
          <h2 id="uncovers">What low water uncovers</h2>
          <ul class="zones">
            {zones.map((zone) => (
              <li key={zone.name}>
                <ZoneIcon icon={zone.icon} />
                <h3>{zone.name}</h3>
                <p>{zone.residents}</p>
              </li>
            ))}
          </ul>
        </div>
      </section>
      <section class="band" aria-labelledby="plans">
        <div class="wide">
          <h2 id="plans">Plans</h2>
          <p class="lead">
            Prices are before tax, which depends on your address and is added at checkout.
          </p>
          <Plans list={list} shop={shop} with_free />
          <p class="quiet small-print">{children}</p>
        </div>
      </section>
    </Layout>
  )
}

function Waves() {
  return (
    <svg class="waves" viewBox="0 0 1440 90" preserveAspectRatio="none" aria-hidden="true">
      <path class="wave-far" d="M0 40c180-40 360-40 540 0s360 40 540 0 270-30 360-10v60H0Z" />
      <path class="wave-near" d="M0 62c160 26 320 26 480 0s320-26 480 0 320 26 480 0v28H0Z" />
    </svg>
  )
}
