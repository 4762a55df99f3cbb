import type { LicenseState } from '@purser/client'
import { statusName, whatIsNext } from '../words.ts'

type Facts = { license: LicenseState; plan: string | null; key_tail: string; manage: string }

/** Which license opened the page, and what can be done with it. */
export function LicenseCard({ license, plan, key_tail, manage }: Facts) {
  return (
    <section class="license" aria-labelledby="license">
      <h2 id="license">
        <svg class="tick" viewBox="0 0 20 20" aria-hidden="true">
          <path d="M4 10.5l4 4 8-9" />
        </svg>
        License verified
      </h2>
      <dl>
        <div>
          <dt>Plan</dt>
          <dd>{plan ?? license.product_public_id}</dd>
        </div>
        <div>
          <dt>Status</dt>
          <dd>{statusName[license.status]}</dd>
        </div>
        <div>
          <dt>Next</dt>
          <dd>{whatIsNext(license)}</dd>
        </div>
        <div>
          <dt>Key</dt>
          <dd>
            <code>…{key_tail}</code>
          </dd>
        </div>
      </dl>
      <div class="license-actions">
        <a class="button" href={manage}>
          Manage plan
        </a>
        <form method="post" action="/sign-out">
          <button class="button" type="submit">
            Sign out
          </button>
        </form>
      </div>
    </section>
  )
}
