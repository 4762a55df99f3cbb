import type { JSX } from 'preact'
import { Actions, BackLink, Button, CopyField, TextLink } from '#design/actions'
import { Alert, ErrorSummary, Processing, RedirectNotice } from '#design/feedback'
import { Field, Form, SelectField } from '#design/forms'
import { FocusLayout } from '#design/layout'
import { type Frequency, formatMoney } from '#design/money'
import { type OrderFigures, OrderSummary, Steps, Total } from '#design/order'
import { DescriptionList, Heading } from '#design/panels'
import { COUNTRIES } from './countries.ts'

/** What stands beside every step: whose product it is, and what it costs. */
export interface Purchase {
  app_name: string
  product_name: string
  amount_cents: number
  frequency: Frequency
  figures: OrderFigures
  /** True on the sandbox processor. */
  test_mode: boolean
}

/** Faults by the name of their field. */
export type Faults = Record<string, string>

interface Step {
  purchase: Purchase
  csrf_token: string
}

function frame(purchase: Purchase) {
  const { total_cents, tax_cents } = purchase.figures
  return {
    app_name: purchase.app_name,
    selling: true,
    ...(purchase.test_mode ? { notice: 'Test mode: no real card is charged.' } : {}),
    summary_line: <Total cents={total_cents} taxed={tax_cents !== null} />,
    summary: (
      <OrderSummary
        {...purchase.figures}
        product_name={purchase.product_name}
        amount_cents={purchase.amount_cents}
        frequency={purchase.frequency}
      />
    ),
  }
}

const listed = (faults: Faults) => Object.entries(faults).map(([id, message]) => ({ id, message }))

/** Step 1: who buys, and where the tax is due. */
export function DetailsPage(
  facts: Step & {
    action: string
    next: string | undefined
    values: { email?: string | undefined; country?: string | undefined; zip?: string | undefined }
    faults: Faults
  },
): JSX.Element {
  const { purchase, values, faults } = facts
  return (
    <FocusLayout {...frame(purchase)} title={`Your details · ${purchase.app_name}`}>
      <Steps current="Details" />
      <Heading title="Your details">Your receipt and your license go to this address.</Heading>
      <ErrorSummary errors={listed(faults)} />
      <Form action={facts.action} csrf_token={facts.csrf_token}>
        {facts.next !== undefined && <input type="hidden" name="next" value={facts.next} />}
        <Field
          label="Email"
          name="email"
          type="email"
          autocomplete="email"
          value={values.email}
          error={faults.email}
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
          hint="Sales tax depends on where you live. It is shown before you pay."
        />
        <Button kind="primary" pending="Working out the tax…" wide>
          Continue
        </Button>
      </Form>
    </FocusLayout>
  )
}

/** In between: the address has an account, so its owner proves to be the one. */
export function SignInPage(
  facts: Step & {
    cart_id: string
    details_url: string
    email: string
    fault: string | undefined
    /** True when a sign-in link has just been sent. */
    link_sent: boolean
  },
): JSX.Element {
  const base = `/checkout/${facts.cart_id}`
  return (
    <FocusLayout {...frame(facts.purchase)} title={`Sign in · ${facts.purchase.app_name}`}>
      <Steps current="Details" />
      <Heading title="Welcome back">
        {facts.email} has an account already. Sign in to go on with your purchase.
      </Heading>
      {facts.fault && <Alert tone="error">{facts.fault}</Alert>}
      {facts.link_sent && (
        <Alert tone="success" title="Look into your mailbox">
          We sent a sign-in link to {facts.email}. It works once, for 20 minutes, and brings you
          back here.
        </Alert>
      )}
      <Form action={`${base}/sign-in`} csrf_token={facts.csrf_token}>
        <input type="hidden" name="username" value={facts.email} autocomplete="username" />
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

/** Between card and confirmation: a card that cannot be used here. */
export function CardRefusedPage(
  facts: Omit<Step, 'csrf_token'> & { card_url: string; reason: 'abroad' | 'unknown_zip' },
): JSX.Element {
  const words =
    facts.reason === 'abroad'
      ? 'Its billing address is outside the United States. For now, purchases are available to buyers in the United States only.'
      : 'Its billing ZIP code does not exist in the United States. Please check it.'
  return (
    <FocusLayout {...frame(facts.purchase)} title={`Card · ${facts.purchase.app_name}`}>
      <Steps current="Card" />
      <Heading title="This card cannot be used here">Nothing was charged.</Heading>
      <Alert tone="error">{words}</Alert>
      <Button kind="primary" href={facts.card_url} wide>
        Use another card
      </Button>
    </FocusLayout>
  )
}

/** Step 3: everything on one page, and one button. */
export function ConfirmPage(
  facts: Step & {
    cart_id: string
    tax_quote_id: string
    details_url: string
    email: string
    place: string
    card: string
    alert: { title: string; words: string } | undefined
  },
): JSX.Element {
  const { purchase, alert } = facts
  const isFree = Number(purchase.figures.total_cents) === 0
  return (
    <FocusLayout {...frame(purchase)} title={`Confirm · ${purchase.app_name}`}>
      <Steps current="Confirm" />
      <Heading title="Confirm your order">
        {isFree
          ? 'Look it over once. Nothing is charged today.'
          : 'Look it over once; then your card is charged.'}
      </Heading>
      {alert && (
        <Alert tone="error" title={alert.title}>
          {alert.words}
        </Alert>
      )}
      <DescriptionList
        items={[
          { term: 'Plan', detail: purchase.product_name },
          { term: 'Email', detail: facts.email },
          { term: 'Tax address', detail: facts.place },
          { term: 'Card', detail: facts.card },
          { term: isFree ? 'Then' : 'Renewal', detail: purchase.figures.renewal },
        ]}
      />
      <Form action={`/checkout/${facts.cart_id}/confirm`} csrf_token={facts.csrf_token}>
        <input type="hidden" name="quote" value={facts.tax_quote_id} />
        <Button kind="primary" icon="lock" pending={isFree ? 'Starting…' : 'Paying…'} wide>
          {isFree ? 'Start free trial' : `Pay ${formatMoney(purchase.figures.total_cents)}`}
        </Button>
        <p class="text-xs text-muted">
          By paying you agree to the <TextLink href="/terms/">terms of sale</TextLink>.
        </p>
      </Form>
      <div class="flex flex-wrap gap-x-6">
        <BackLink href={`/checkout/${facts.cart_id}/card`}>Use another card</BackLink>
        <BackLink href={facts.details_url}>Change your details</BackLink>
      </div>
    </FocusLayout>
  )
}

/** Between confirmation and success: the processor's answer is still open. */
export function ProcessingPage(
  facts: Omit<Step, 'csrf_token'> & { url: string; return_url: string },
): JSX.Element {
  return (
    <FocusLayout
      {...frame(facts.purchase)}
      title={`One moment · ${facts.purchase.app_name}`}
      refresh_seconds={3}
    >
      <Steps current="Confirm" />
      <Processing title="Your bank is answering" href={facts.url}>
        We are waiting for its word. This page moves on by itself, usually within seconds. Your card
        is charged at most once, even if you leave; the receipt comes by email.
      </Processing>
      <Button href={facts.return_url} icon_after="arrow-right" wide>
        Return to {facts.purchase.app_name}
      </Button>
    </FocusLayout>
  )
}

/** Step 4: it is yours; here is the key, and the way back. */
export function SuccessPage(
  facts: Step & {
    cart_id: string
    email: string
    license_key: string
    return_url: string
    manage_url: string
    is_trial: boolean
    resent: 'sent' | 'too_often' | undefined
  },
): JSX.Element {
  const { purchase } = facts
  return (
    <FocusLayout {...frame(purchase)} title={`Thank you · ${purchase.app_name}`}>
      <Steps current="Done" />
      <Heading title={`${purchase.app_name} ${purchase.product_name} is yours`} done>
        {facts.is_trial ? 'Your free trial has started.' : 'Payment received.'} The receipt is on
        its way to {facts.email}.
      </Heading>
      {facts.resent === 'sent' && (
        <Alert tone="success">The receipt is on its way to {facts.email} again.</Alert>
      )}
      {facts.resent === 'too_often' && (
        <Alert tone="info">
          The receipt was sent several times already. Look into your spam folder, or try again in an
          hour.
        </Alert>
      )}
      <CopyField id="license_key" label="License key" value={facts.license_key} />
      <p class="-mt-4 text-sm text-muted">
        You find this key again in the receipt and on{' '}
        <TextLink href={facts.manage_url}>your purchase's page</TextLink>.
      </p>
      <div class="grid gap-2">
        <Button kind="primary" href={facts.return_url} icon_after="arrow-right" wide>
          Continue to {purchase.app_name}
        </Button>
        {facts.resent === undefined && (
          <RedirectNotice
            url={facts.return_url}
            seconds={REDIRECT_SECONDS}
            destination={purchase.app_name}
          />
        )}
      </div>
      <div class="border-t border-base-300 pt-5">
        <Form action={`/checkout/${facts.cart_id}/receipt`} csrf_token={facts.csrf_token}>
          <Actions>
            <Button icon="mail" pending="Sending…">
              Resend receipt email
            </Button>
          </Actions>
        </Form>
      </div>
    </FocusLayout>
  )
}

const REDIRECT_SECONDS = 12
