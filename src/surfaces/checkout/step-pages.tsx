import type { JSX } from 'preact'
import { BackLink, Button } from '#design/actions'
import { Alert, ErrorSummary } from '#design/feedback'
import { Field, Form, SelectField, UsernameField } from '#design/forms'
import { FocusLayout } from '#design/layout'
import { Steps } from '#design/order'
import { Heading, Mailbox } from '#design/panels'
import type { CartId } from '#platform/ids'
import { COUNTRIES } from './countries.ts'
import type { NotApplied } from './discount.ts'
import { layoutOf, type Step, titled } from './layout.tsx'

/** Error messages by field name. */
export type Faults = Record<string, string>

const listed = (faults: Faults) => Object.entries(faults).map(([id, message]) => ({ id, message }))

type DetailsField = 'email' | 'country' | 'zip' | 'via' | 'discount'

/** Step 1: email and tax address. */
export function DetailsPage(
  facts: Step & {
    action: string
    next: string | undefined
    /** Previously entered values; `via` and `discount` are passed through. */
    values: Partial<Record<DetailsField, string | undefined>>
    faults: Faults
    has_expired: boolean
    /** The discount code of the buy link, if it does not apply. */
    not_applied: NotApplied | undefined
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
      {facts.not_applied && <CodeNotApplied {...facts.not_applied} />}
      <ErrorSummary errors={listed(faults)} />
      <Form action={facts.action} csrf_token={facts.csrf_token}>
        {facts.next !== undefined && <input type="hidden" name="next" value={facts.next} />}
        {values.via !== undefined && <input type="hidden" name="via" value={values.via} />}
        {values.discount && <input type="hidden" name="discount" value={values.discount} />}
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

/** A code of a buy link that does not apply: the purchase goes on without it. */
function CodeNotApplied({ code, reason }: NotApplied): JSX.Element {
  return (
    <Alert tone="info" title="Discount code not applied">
      <span class="break-words">{code}</span>: {reason} You can continue without it.
    </Alert>
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
