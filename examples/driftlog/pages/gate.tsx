import type { ComponentChildren } from 'preact'
import { Layout } from '../../shared/pages/layout.tsx'
import { Plans, type Shop } from '../../shared/pages/plans.tsx'
import { TideCard } from '../../shared/pages/tide-chart.tsx'
import type { PriceList } from '../../shared/prices.ts'
import type { Entitlement } from '../plans.ts'

type Offer = { list: PriceList; shop: Shop }

/** The paywall of the paid pages, for a browser without a signed-in person. */
export function SignedOutPage({ list, shop, was_signed_in }: Offer & { was_signed_in?: boolean }) {
  const title = was_signed_in ? 'You are signed out' : 'Sign in to see your tides'
  return (
    <Layout title={title} signed_in={false}>
      <div class="wide gate">
        <h1>{title}</h1>
        <p class="lead">The week ahead and the sea-life guide belong to a plan.</p>
        <div class="gate-row">
          <section aria-labelledby="have">
            <h2 id="have">I have a plan</h2>
            <div class="key-form panel">
              <p>You sign in at Purser, where you bought it, and are back here in a moment.</p>
              <a class="button is-strong" href="/login">
                Sign in with Purser
              </a>
            </div>
          </section>
          <section aria-labelledby="buy">
            <h2 id="buy">I want one</h2>
            <Plans list={list} shop={shop} with_free={false} />
          </section>
        </div>
      </div>
    </Layout>
  )
}

/**
 * For a signed-in person without a paid plan: today stays free, and the plans are one step away.
 */
export function NoPlanPage({
  now,
  list,
  shop,
  entitlement,
  children,
}: Offer & { now: number; entitlement: Entitlement; children: ComponentChildren }) {
  const text = entitlement.is_free
    ? 'You are on the free plan: today’s tide is yours.'
    : 'You have no plan at the moment. Today’s tide stays free.'
  return (
    <Layout title="My tides" signed_in>
      <div class="wide app">
        <div class="app-head">
          <h1>My tides</h1>
          {children}
        </div>
        <p class="lead">{text}</p>
        <TideCard now={now} />
        <section aria-labelledby="more">
          <h2 id="more">See the week ahead</h2>
          <Plans list={list} shop={shop} with_free={false} />
        </section>
      </div>
    </Layout>
  )
}
