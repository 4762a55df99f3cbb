import type { JSX } from 'preact'
import { BackLink, Button, TextLink } from '#design/actions'
import { Alert, ErrorSummary } from '#design/feedback'
import { Field, Form, SelectField, UsernameField } from '#design/forms'
import { FocusLayout } from '#design/layout'
import { formatMoney } from '#design/money'
import { Steps } from '#design/order'
import { DescriptionList, Heading, Mailbox } from '#design/panels'
import type { CartId } from '#platform/ids'
import { COUNTRIES } from './countries.ts'
import { layoutOf, nameOf, type PurchaseSummary, type Step, titled } from './layout.tsx'

/** Error messages by field name. */
export type Faults = Record<string, string>

const listed = (faults: Faults) => Object.entries(faults).map(([id, message]) => ({ id, message }))

/** Step 1: email and tax address. */
export function DetailsPage(
  facts: Step & {
    action: string
    next: string | undefined
    /** Previously entered values; `via` is passed through. */
    values: Partial<Record<'email' | 'country' | 'zip' | 'via', string | undefined>>
    faults: Faults
    has_expired: boolean
    /** The email of the seller whose preview this is. */
    preview_email: string | undefined
  },
): JSX.Element {
  const { purchase, values, faults } = facts
  return (
    <FocusLayout
      {...layoutOf(purchase)}
      title={titled(`Your details · ${purchase.app_name}`, Object.keys(faults).length > 0)}
    >
      <Steps current="Details" />
      <Heading title="Your details">We send your receipt and license key to this email.</Heading>
      {facts.has_expired && (
        <Alert tone="info" title="This order has expired">
          It was not paid within 24 hours. Nothing was charged. Check your details to continue.
        </Alert>
      )}
      <ErrorSummary errors={listed(faults)} />
      <Form action={facts.action} csrf_token={facts.csrf_token}>
        {facts.next !== undefined && <input type="hidden" name="next" value={facts.next} />}
        {values.via !== undefined && <input type="hidden" name="via" value={values.via} />}
        <Field
          label="Email"
          name="email"
          type="email"
          autocomplete="email"
          value={values.email}
          error={faults.email}
          hint={
            facts.preview_email && `The preview is for your own account, ${facts.preview_email}.`
          }
        />
        <SelectField
          label="Country"
          name="country"
          autocomplete="country"
          value={values.country ?? 'US'}
          options={COUNTRIES}
          error={faults.country}
        />
        <Field
          label="ZIP code"
          name="zip"
          inputmode="numeric"
          autocomplete="postal-code"
          format="zip"
          value={values.zip}
          error={faults.zip}
          hint="Used to calculate sales tax. You see the total before you pay."
        />
        <Button kind="primary" pending="Calculating tax…" wide>
          Continue
        </Button>
      </Form>
    </FocusLayout>
  )
}

/** Asks the owner of an existing account to sign in. */
export function SignInPage(
  facts: Step & {
    cart_id: CartId
    details_url: string
    email: string
    fault: string | undefined
    /** True if a sign-in link was just sent. */
    link_sent: boolean
  },
): JSX.Element {
  const base = `/checkout/${facts.cart_id}`
  return (
    <FocusLayout
      {...layoutOf(facts.purchase)}
      title={titled(`Sign in · ${facts.purchase.app_name}`, facts.fault !== undefined)}
    >
      <Steps current="Details" />
      <Heading title="Welcome back">
        <Mailbox address={facts.email} /> already has an account. Sign in to continue.
      </Heading>
      {facts.fault && <Alert tone="error">{facts.fault}</Alert>}
      {facts.link_sent && (
        <Alert tone="success" title="Check your inbox">
          We sent a sign-in link to <Mailbox address={facts.email} />. It works once, expires in 20
          minutes and returns you to this checkout.
        </Alert>
      )}
      <Form action={`${base}/sign-in`} csrf_token={facts.csrf_token}>
        <UsernameField value={facts.email} />
        <Field label="Password" name="password" type="password" autocomplete="current-password" />
        <Button kind="primary" pending="Signing in…" wide>
          Sign in
        </Button>
      </Form>
      <Form action={`${base}/sign-in-link`} csrf_token={facts.csrf_token}>
        <Button icon="mail" pending="Sending…" wide>
          Email me a sign-in link
        </Button>
      </Form>
      <BackLink href={facts.details_url}>Use another email</BackLink>
    </FocusLayout>
  )
}

/** Step 3: the whole order, and one button. */
export function ConfirmPage(
  facts: Step & {
    cart_id: CartId
    agreement: string
    details_url: string
    email: string
    place: string
    card: string
    /** The statement descriptor of the charge. */
    statement: string
    /** True for the app's own seller. */
    is_preview: boolean
    alert: { title: string; text: string } | undefined
    /** True if the card was declined: the main action is then to use another card. */
    is_declined: boolean
  },
): JSX.Element {
  const { purchase, alert, is_declined } = facts
  const card_url = `/checkout/${facts.cart_id}/card`
  const { text, action, pending, verb } = confirmText(facts)
  return (
    <FocusLayout
      {...layoutOf(purchase)}
      title={titled(`Confirm your order · ${purchase.app_name}`, alert !== undefined)}
    >
      <Steps current="Confirm" />
      <Heading title="Confirm your order">{text}</Heading>
      {alert && (
        <Alert tone="error" title={alert.title}>
          {alert.text}
        </Alert>
      )}
      <DescriptionList
        items={[
          { term: 'Plan', detail: nameOf(purchase) },
          { term: 'Email', detail: facts.email },
          { term: 'Tax address', detail: facts.place },
          { term: 'Card', detail: facts.card },
          { term: 'On your statement', detail: facts.statement },
        ]}
      />
      <Form action={`/checkout/${facts.cart_id}/confirm`} csrf_token={facts.csrf_token}>
        <input type="hidden" name="agreement" value={facts.agreement} />
        <p class="text-sm">{purchase.figures.renewal}</p>
        {is_declined && (
          <Button kind="primary" icon="card" href={card_url} wide>
            Use another card
          </Button>
        )}
        <Button kind={is_declined ? 'plain' : 'primary'} icon="lock" pending={pending} wide>
          {action}
        </Button>
        {verb && (
          <p class="text-xs text-muted">
            By {verb} you agree to the <TextLink href="/terms/">terms of sale</TextLink> and{' '}
            <TextLink href="/refunds/">refund policy</TextLink>.
          </p>
        )}
      </Form>
      <div class="flex flex-wrap gap-x-6">
        {!facts.is_preview && !is_declined && <BackLink href={card_url}>Use another card</BackLink>}
        <BackLink href={facts.details_url}>Change your details</BackLink>
      </div>
    </FocusLayout>
  )
}

function confirmText({ purchase, is_preview }: { purchase: PurchaseSummary; is_preview: boolean }) {
  if (is_preview) {
    const text = 'This is the page your buyers see. Nothing is charged in a preview.'
    return { text, action: 'Finish the preview', pending: 'Finishing…', verb: undefined }
  }
  const { total } = purchase.figures
  if (Number(total) === 0) {
    const text = 'Review your order. Nothing is charged today.'
    return { text, action: 'Start free trial', pending: 'Starting…', verb: 'starting' }
  }
  const text = 'Review your order. Your card is charged when you press Pay.'
  return { text, action: `Pay ${formatMoney(total)}`, pending: 'Paying…', verb: 'paying' }
}
