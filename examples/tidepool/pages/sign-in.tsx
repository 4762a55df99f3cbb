import type { LicenseState } from '@purser/client'
import { Layout } from '../../shared/pages/layout.tsx'
import { statusName } from '../labels.ts'

type Typed = { fault?: string | undefined; typed?: string | undefined; manage: string }

export function SignInPage(props: Typed) {
  return (
    <Layout title="Sign in" signed_in={false}>
      <div class="narrow">
        <h1>Sign in with your key</h1>
        <p class="lead">Your license key is all you need: no account, no password.</p>
        <KeyForm {...props} />
      </div>
    </Layout>
  )
}

export function KeyForm({ fault, typed, manage }: Typed) {
  return (
    <form class="key-form panel" method="post" action="/login">
      <label for="license_key">License key</label>
      <input
        id="license_key"
        name="license_key"
        value={typed}
        required
        maxLength={200}
        autocomplete="off"
        autocapitalize="none"
        spellcheck={false}
        aria-describedby={fault ? 'key-fault key-hint' : 'key-hint'}
        aria-invalid={fault ? 'true' : undefined}
      />
      {fault && (
        <p class="fault" id="key-fault" role="alert">
          {fault}
        </p>
      )}
      <p class="quiet" id="key-hint">
        It begins with key_ and is in your receipt. Lost it? It is always shown on{' '}
        <a href={manage}>your license page</a>.
      </p>
      <button class="button is-strong" type="submit">
        Open my tides
      </button>
    </form>
  )
}

type Arrival = { svc_order: string; license: LicenseState; plan: string | null }

/** Asks for confirmation when an order returns to a browser that did not start it. */
export function AdoptPage({ svc_order, license, plan }: Arrival) {
  return (
    <Layout title="Is this purchase yours?" signed_in={false}>
      <div class="narrow">
        <h1>Is this purchase yours?</h1>
        <p class="lead">
          This link carries a Tidepool license ({plan ?? 'paid plan'}, {statusName[license.status]}
          ), but the purchase did not begin in this browser.
        </p>
        <p>
          If you bought it on another device or came from the marketplace, go on. If someone sent
          you the link, leave: what you do here would be done under their license.
        </p>
        <form class="actions" method="post" action="/return">
          <input type="hidden" name="svc_order" value={svc_order} />
          <button class="button is-strong" type="submit">
            Yes, use it here
          </button>
          <a class="button" href="/">
            No, leave
          </a>
        </form>
      </div>
    </Layout>
  )
}
