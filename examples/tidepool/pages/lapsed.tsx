import type { LicenseState } from '@purser/client'
import { day } from '../../shared/format.ts'
import { Layout } from '../../shared/pages/layout.tsx'
import { Plans, type Shop } from '../../shared/pages/plans.tsx'
import { SignOutForm } from '../../shared/pages/sign-out.tsx'
import type { PriceList } from '../../shared/prices.ts'
import { statusName } from '../labels.ts'

type Facts = { license: LicenseState; list: PriceList; shop: Shop; manage: string }

/** For a valid license that is not entitled, with what to do about it. */
export function LapsedPage({ license, list, shop, manage }: Facts) {
  const ended = license.status === 'canceled'
  return (
    <Layout title={titleOf(license)} signed_in>
      <div class={ended ? 'wide' : 'narrow'}>
        <h1>{titleOf(license)}</h1>
        <p class="lead">{reasonOf(license)}</p>
        <p class="quiet">Status: {statusName[license.status]}</p>
        <div class="actions">
          {!ended && (
            <a class="button is-strong" href={manage}>
              Open your license page
            </a>
          )}
          <SignOutForm />
        </div>
        {ended && (
          <section class="again" aria-labelledby="again">
            <h2 id="again">Come back any time</h2>
            <Plans list={list} shop={shop} with_free={false} />
          </section>
        )}
      </div>
    </Layout>
  )
}

function titleOf({ status }: LicenseState): string {
  if (status === 'canceled') return 'Your license has ended'
  if (status === 'paused') return 'Your license is paused'
  return 'Your last payment did not go through'
}

function reasonOf({ status, canceled_at }: LicenseState): string {
  if (status === 'canceled') {
    const when = canceled_at ? ` on ${day(canceled_at)}` : ''
    return `It ended${when}. A new plan opens the week ahead again.`
  }
  if (status === 'paused') return 'Your tides come back, with the same key, when it resumes.'
  return 'Update your card on your license page. The same key then works again.'
}
