import type { Entitlement } from '../plans.ts'
import { statusName, whatIsNext } from '../words.ts'

type Facts = { entitlement: Entitlement; sub: string; manage: string }

/** Who is signed in, as far as this site knows, and on which plan. */
export function PlanCard({ entitlement, sub, manage }: Facts) {
  return (
    <section class="license" aria-labelledby="signed-in">
      <h2 id="signed-in">
        <svg class="tick" viewBox="0 0 20 20" aria-hidden="true">
          <path d="M4 10.5l4 4 8-9" />
        </svg>
        Signed in
      </h2>
      <dl>
        <div>
          <dt>Plan</dt>
          <dd>{entitlement.version || 'None'}</dd>
        </div>
        <div>
          <dt>Status</dt>
          <dd>{statusName[entitlement.status]}</dd>
        </div>
        <div>
          <dt>Next</dt>
          <dd>{whatIsNext(entitlement)}</dd>
        </div>
        <div>
          <dt>You</dt>
          <dd>
            <code>…{sub.slice(-6)}</code>
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
