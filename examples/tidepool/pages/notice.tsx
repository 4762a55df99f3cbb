import { Layout } from '../../shared/pages/layout.tsx'
import { NoticePage } from '../../shared/pages/notice.tsx'
import { Plans, type Shop } from '../../shared/pages/plans.tsx'
import type { PriceList } from '../../shared/prices.ts'
import { KeyForm } from './sign-in.tsx'

export function ProcessingPage({ again }: { again: string }) {
  return (
    <NoticePage title="Still confirming your payment">
      <p class="lead" role="status">
        Your bank is taking a moment. This page checks again automatically, so you can leave it
        open.
      </p>
      <p class="actions">
        <a class="button" href={again}>
          Check now
        </a>
      </p>
    </NoticePage>
  )
}

export function UnknownOrderPage({ manage }: { manage: string }) {
  return (
    <NoticePage title="We cannot find this purchase">
      <p class="lead">The link is incomplete, or older than a day.</p>
      <p>
        If you have paid, nothing is lost: your license key is in the receipt and on{' '}
        <a href={manage}>your license page</a>.
      </p>
      <p class="actions">
        <a class="button is-strong" href="/login">
          Sign in with the key
        </a>
        <a class="button" href="/#plans">
          See the plans
        </a>
      </p>
    </NoticePage>
  )
}

type Gate = { fault?: string | undefined; list: PriceList; shop: Shop; manage: string }

/** The paywall of the paid pages, for a browser without a valid key. */
export function NeedsLicensePage({ fault, list, shop, manage }: Gate) {
  return (
    <Layout title="You need a license" signed_in={false}>
      <div class="wide gate">
        <h1>You need a license</h1>
        <p class="lead">The week ahead and the sea-life guide are for license holders.</p>
        <div class="gate-row">
          <section aria-labelledby="have">
            <h2 id="have">I have a key</h2>
            <KeyForm fault={fault} manage={manage} />
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
