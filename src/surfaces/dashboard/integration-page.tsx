import type { JSX } from 'preact'
import { Actions, Button, TextLink } from '#design/actions'
import { CopyField } from '#design/copy'
import { Badge } from '#design/feedback'
import { Field, Form, HiddenFields, SelectField, TextareaField } from '#design/forms'
import { Day } from '#design/money'
import { DescriptionList, Panel } from '#design/panels'
import { enteredFields, type FormFault } from '#http/form-errors'
import type { ProductId } from '#platform/ids'
import { capitalized } from '#platform/text'
import { BuyLinkPanel, type BuyLinkPanelFacts } from './buy-link-panel.tsx'
import { ChecksPanel, type ChecksPanelFacts } from './checks-panel.tsx'
import { type AppFacts, AppPage } from './layout.tsx'
import { OPENED } from './opened-form.ts'
import { SnippetPanel, type SnippetPanelFacts } from './snippet-panel.tsx'

/** The form of URLs; lists have one entry per line. */
export type AddressForm = Record<
  'oauth_login_url' | 'redirect_uris' | 'post_logout_redirect_uris',
  string
>

/** The facts of the integration page. */
export interface Integration
  extends AppFacts,
    BuyLinkPanelFacts,
    ChecksPanelFacts,
    SnippetPanelFacts {
  client_id: string
  /** The base URL of the API in this mode. */
  base_url: string
  /** Where else the app has credentials: the test mode or the live mode beside this one. */
  other_mode: 'test' | 'live' | undefined
  issuer: string
  /** False until the first client secret is created. */
  has_secret: boolean
  form: AddressForm
  /** The URLs that were saved when the form was first opened. */
  opened: AddressForm
  faults: FormFault[]
  add_on: { is_on: boolean; is_charged: boolean; trial_ends_at: Date | null }
  /** Whether buyers may pause their subscription. */
  allows_pause: boolean
  plans: { id: ProductId; name: string }[]
  preview: { plan: string; license_key: string } | undefined
}

/** Credentials, redirect URLs, code and buy links of an app. */
export function IntegrationPage(facts: Integration): JSX.Element {
  return (
    <AppPage
      {...facts}
      current="integration"
      intro="Credentials, redirect URLs, code and Buy links."
      has_error={facts.built.faults.length > 0}
    >
      <div class="grid grid-cols-1 items-start gap-5 lg:grid-cols-[minmax(0,1.5fr)_minmax(0,1fr)]">
        <div class="grid grid-cols-1 gap-5">
          <Addresses {...facts} />
          <ChecksPanel {...facts} />
          <BuyLinkPanel {...facts} />
        </div>
        <div class="grid grid-cols-1 gap-5">
          <Credentials {...facts} />
          <AddOn {...facts} />
          <Preview {...facts} />
          <Pausing {...facts} />
        </div>
      </div>
      <SnippetPanel {...facts} />
    </AppPage>
  )
}

function Credentials(facts: Integration): JSX.Element {
  const { client_id, base, base_url, has_secret, other_mode } = facts
  return (
    <Panel title={other_mode === 'live' ? 'Test credentials' : 'Credentials'}>
      <CopyField id="base_url" label="Base URL" value={base_url} />
      <CopyField id="client_id" label="Client ID" value={client_id} />
      <div class="grid gap-1.5 text-sm">
        <h3 class="font-medium">Client secret</h3>
        <p class="text-muted">
          Authenticates your server. The secret is shown once, when it is created. No one can read
          it afterward, including us.
        </p>
        {other_mode && (
          <p class="text-muted">
            {other_mode === 'test' ? 'Test' : 'Live'} mode has another base URL and another secret.{' '}
            <TextLink href="/docs/test-mode/">About test mode</TextLink>
          </p>
        )}
      </div>
      <Actions>
        <Button href={`${base}secret/`} icon="key">
          {has_secret ? 'Rotate secret' : 'Create secret'}
        </Button>
      </Actions>
    </Panel>
  )
}

function Addresses({ form, opened, faults, base, csrf_token }: Integration): JSX.Element {
  const field = enteredFields(form, faults)
  return (
    <Panel title="URLs">
      <Form action={base} csrf_token={csrf_token}>
        <HiddenFields values={opened} prefix={OPENED} />
        <Field
          label="Login URL"
          {...field('oauth_login_url')}
          type="url"
          spellcheck={false}
          hint="The page of your app that starts sign-in. Buyers return here by default."
        />
        <TextareaField
          label="Redirect URIs"
          {...field('redirect_uris')}
          optional
          hint="URLs that sign-in may redirect to. One per line. Must match exactly."
        />
        <TextareaField
          label="Post-logout redirect URIs"
          {...field('post_logout_redirect_uris')}
          optional
          hint="URLs that sign-out may redirect to. One per line. Must match exactly."
        />
        <Actions>
          <Button kind="primary" pending="Saving…">
            Save
          </Button>
        </Actions>
      </Form>
    </Panel>
  )
}

function AddOn({ add_on, issuer, base, csrf_token }: Integration): JSX.Element {
  const badge = add_on.is_on ? <Badge tone="good">On</Badge> : <Badge>Off</Badge>
  return (
    <Panel title="Hosted sign-in" aside={badge}>
      <div class="grid gap-3 text-sm">
        <p>
          Purser signs your buyers in over OpenID Connect, and your app can read their plan with the
          same session. Sign-in is free. Reading the plan is a paid add-on.
        </p>
        <p class="text-muted">{addOnText(add_on)}</p>
      </div>
      <CopyField id="issuer" label="Issuer" value={issuer} />
      <CopyField id="scope" label="Scope" value="openid entitlements" />
      <p class="text-sm text-muted">
        <TextLink href="/docs/sign-in/">How to connect your app</TextLink>, with code.
      </p>
      <Form action={`${base}add-on`} csrf_token={csrf_token}>
        <Actions>
          {add_on.is_on ? (
            <Button name="to" value="off" pending="Turning off…">
              Turn off
            </Button>
          ) : (
            <Button kind="primary" name="to" value="on" pending="Turning on…">
              Turn on
            </Button>
          )}
        </Actions>
      </Form>
    </Panel>
  )
}

const LATER = 'After that, the add-on costs 2% of each sale, before tax.'

function addOnText({ is_on, is_charged, trial_ends_at }: Integration['add_on']) {
  if (trial_ends_at === null) {
    return `Free for 3 months from the day you first turn it on. ${LATER}`
  }
  const day = <Day date={trial_ends_at} />
  if (!is_on) {
    return (
      <>
        Buyers can still sign in. Reading the plan returns service_not_enabled. The free months
        apply once, until {day}. {LATER}
      </>
    )
  }
  if (is_charged) {
    return <>The add-on costs 2% of each sale, before tax. The free months ended on {day}.</>
  }
  return (
    <>
      Free until {day}. {LATER}
    </>
  )
}

function buyLinkText({ is_on_sale, is_suspended }: Integration): string {
  const same = 'opening one of your Buy links while signed in does the same.'
  if (is_on_sale) return capitalized(same)
  return `${is_suspended ? 'After the suspension' : 'Once the app is on sale'}, ${same}`
}

function Preview(facts: Integration): JSX.Element {
  const { preview, plans, base, csrf_token } = facts
  const badge = preview ? <Badge tone="info">On</Badge> : <Badge>Off</Badge>
  return (
    <Panel title="Preview entitlement" aside={badge}>
      <p class="text-sm">
        Use your app as a buyer of a plan, with your own account and without a charge.{' '}
        {buyLinkText(facts)}
      </p>
      {preview && (
        <>
          <DescriptionList items={[{ term: 'Plan', detail: preview.plan }]} />
          <CopyField id="preview_key" label="Preview key" value={preview.license_key} />
        </>
      )}
      <Form action={`${base}preview`} csrf_token={csrf_token}>
        {!preview && plans.length > 0 && (
          <SelectField
            label="Plan"
            name="product_id"
            options={plans.map(({ id, name }) => ({ value: id, label: name }))}
          />
        )}
        <Actions>
          {preview ? (
            <Button name="to" value="off" pending="Ending…">
              End the preview
            </Button>
          ) : (
            plans.length > 0 && (
              <Button name="to" value="on" pending="Starting…">
                Start a preview
              </Button>
            )
          )}
        </Actions>
      </Form>
    </Panel>
  )
}

function Pausing({ allows_pause, base, csrf_token }: Integration): JSX.Element {
  return (
    <Panel
      title="Pausing"
      aside={allows_pause ? <Badge tone="good">On</Badge> : <Badge>Off</Badge>}
    >
      <p class="text-sm">
        Buyers can pause at the end of a paid period instead of canceling. Nothing is charged, and
        access is suspended until the buyer resumes. Resuming starts a new period.
      </p>
      <Form action={`${base}pausing`} csrf_token={csrf_token}>
        <Actions>
          <Button name="to" value={allows_pause ? 'off' : 'on'} pending="Saving…">
            {allows_pause ? 'Turn pausing off' : 'Allow buyers to pause'}
          </Button>
        </Actions>
      </Form>
    </Panel>
  )
}
