import type { ComponentChildren, JSX } from 'preact'
import { Actions, Button } from '#design/actions'
import { Field, HiddenFields, SelectField } from '#design/forms'

/** A form that builds a buy link of the demo; nothing if this installation has no demo. */
export function BuyLinkForm({ values }: { values: Record<string, string> }): JSX.Element | null {
  const { base_url = '', demo_prices, demo_site_url = '' } = values
  const prices = (demo_prices ?? '').split('\n').flatMap((line) => {
    const [, value, label] = /^(prc_\w+) (.+)$/.exec(line) ?? []
    return value && label ? [{ value, label }] : []
  })
  const [first] = prices
  if (!first) return null
  return (
    <>
      <p>
        A plan of the demo: <a href={`${base_url}/buy/${first.value}/`}>{first.label}</a>.
      </p>
      <LinkForm
        name="Build a buy link"
        path={`${base_url}/buy/{price}/`}
        start_url={`${base_url}/buy/${first.value}/`}
      >
        <SelectField label="Price" name="path.price" id="try-price" options={prices} />
        <Field
          label="next"
          name="query.next"
          id="try-next"
          value={`${demo_site_url}/return`}
          hint="Where the buyer returns."
          spellcheck={false}
          optional
        />
        <Field label="email" name="query.email" id="try-email" value="" optional />
      </LinkForm>
    </>
  )
}

/** A form that builds an authorization link of the demo's app with hosted sign-in. */
export function AuthorizationForm({
  values,
}: {
  values: Record<string, string>
}): JSX.Element | null {
  const { issuer = '', demo_sign_in_client_id, demo_sign_in_url = '' } = values
  if (!demo_sign_in_client_id) return null
  const hidden = {
    response_type: 'code',
    client_id: demo_sign_in_client_id,
    redirect_uri: `${demo_sign_in_url}/auth/callback`,
  }
  return (
    <>
      <p>
        <a href={`${demo_sign_in_url}/`}>Driftlog</a>, the app of the demo, signs its visitors in.
      </p>
      <LinkForm
        name="Build an authorization link"
        path={`${issuer}/auth`}
        start_url={`${demo_sign_in_url}/`}
        pkce
      >
        <HiddenFields values={hidden} prefix="query." />
        <Field
          label="scope"
          name="query.scope"
          id="try-scope"
          value="openid entitlements"
          spellcheck={false}
        />
        <SelectField
          label="prompt"
          name="query.prompt"
          id="try-prompt"
          optional
          options={[
            { value: '', label: 'Not sent' },
            { value: 'login', label: 'login' },
            { value: 'consent', label: 'consent' },
            { value: 'none', label: 'none' },
          ]}
        />
        <Field label="ui_locales" name="query.ui_locales" id="try-ui-locales" value="" optional />
        <Field label="login_hint" name="query.login_hint" id="try-login-hint" value="" optional />
      </LinkForm>
    </>
  )
}

/** A form whose script shows the link that its fields describe; hidden without scripts. */
function LinkForm(facts: {
  name: string
  path: string
  /** What its link leads to until its script runs, for readers that run none. */
  start_url: string
  pkce?: boolean
  children: ComponentChildren
}): JSX.Element {
  return (
    <form
      class="grid max-w-xl grid-cols-1 gap-4"
      aria-label={facts.name}
      data-link={facts.path}
      data-pkce={facts.pkce ? '' : undefined}
      hidden
    >
      {facts.children}
      <p class="text-sm wrap-anywhere" aria-live="polite">
        <a data-link-result href={facts.start_url}>
          {facts.path}
        </a>
      </p>
      <Actions>
        <Button kind="primary">Open the link</Button>
      </Actions>
    </form>
  )
}
