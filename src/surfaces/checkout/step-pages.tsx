import type { ComponentChildren, JSX } from 'preact'
import { BackLink, Button } from '#design/actions'
import { Alert, ErrorSummary } from '#design/feedback'
import { Field, Form, SelectField, UsernameField } from '#design/forms'
import { FocusLayout } from '#design/layout'
import { Day } from '#design/money'
import { Steps } from '#design/order'
import { Heading, Mailbox } from '#design/panels'
import type { CartId } from '#platform/ids'
import type { Locale } from '#platform/language/locale'
import { countries } from './countries.ts'
import type { NotApplied } from './discount.ts'
import { layoutOf, nameOf, type PurchaseSummary, type Step } from './layout.tsx'

/** Error messages by field name. */
export type Faults = Record<string, string>

const listed = (faults: Faults) => Object.entries(faults).map(([id, message]) => ({ id, message }))

type DetailsField = 'email' | 'country' | 'zip' | 'via' | 'discount' | 'continue'

/** An imported license that its owner continues with a card. */
export interface ContinuedFacts {
  /** The end of what was paid at the other service. */
  paid_until: Date
  email: string
}

/** Step 1: email and tax address. An imported license that is continued keeps its email. */
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
    continued: ContinuedFacts | undefined
  },
): JSX.Element {
  const { purchase, values, faults } = facts
  const { locale } = purchase
  const { t } = locale
  return (
    <FocusLayout
      {...layoutOf(purchase)}
      title={t(facts.continued ? 'checkout.continue_page_title' : 'checkout.details_page_title', {
        app: purchase.app_name,
      })}
      has_error={Object.keys(faults).length > 0}
    >
      <Steps current="details" />
      <DetailsHeading {...facts} />
      {facts.has_expired && (
        <Alert tone="info" title={t('checkout.expired_title')}>
          {t('checkout.expired_text')}
        </Alert>
      )}
      {facts.not_applied && <CodeNotApplied {...facts.not_applied} locale={locale} />}
      <ErrorSummary errors={listed(faults)} />
      <Form action={facts.action} csrf_token={facts.csrf_token}>
        {facts.next !== undefined && <input type="hidden" name="next" value={facts.next} />}
        {values.via !== undefined && <input type="hidden" name="via" value={values.via} />}
        {values.discount && <input type="hidden" name="discount" value={values.discount} />}
        {facts.continued ? (
          <ContinuedNote {...facts.continued} locale={locale}>
            <input type="hidden" name="continue" value={values.continue} />
          </ContinuedNote>
        ) : (
          <Field
            label={t('checkout.email')}
            name="email"
            type="email"
            autocomplete="email"
            value={values.email}
            error={faults.email}
            hint={
              facts.preview_email && t('checkout.preview_email', { email: facts.preview_email })
            }
          />
        )}
        <SelectField
          label={t('checkout.country')}
          name="country"
          autocomplete="country"
          value={values.country ?? 'US'}
          options={countries(locale)}
          error={faults.country}
        />
        <Field
          label={t('checkout.zip')}
          name="zip"
          inputmode="numeric"
          autocomplete="postal-code"
          format="zip"
          value={values.zip}
          error={faults.zip}
          hint={t('checkout.zip_hint')}
        />
        <Button kind="primary" pending={t('checkout.calculating')} wide>
          {t('checkout.continue')}
        </Button>
      </Form>
    </FocusLayout>
  )
}

function DetailsHeading({
  purchase,
  continued,
}: {
  purchase: PurchaseSummary
  continued: ContinuedFacts | undefined
}): JSX.Element {
  const { t, rich } = purchase.locale
  if (!continued) {
    return <Heading title={t('checkout.details_title')}>{t('checkout.details_text')}</Heading>
  }
  return (
    <Heading title={t('checkout.continue_title', { product: nameOf(purchase) })}>
      {rich('checkout.continue_text', { day: <Day date={continued.paid_until} /> })}
    </Heading>
  )
}

/** Where the receipt goes, and what the buyer does at the other service. */
function ContinuedNote({
  email,
  locale,
  children,
}: Pick<ContinuedFacts, 'email'> & { locale: Locale; children: ComponentChildren }): JSX.Element {
  return (
    <p class="text-sm text-muted">
      {children}
      {locale.rich('checkout.receipt_to', { email: <Mailbox address={email} /> })}{' '}
      {locale.t('checkout.cancel_elsewhere')}
    </p>
  )
}

/** A code of a buy link that does not apply: the purchase goes on without it. */
function CodeNotApplied({
  code,
  reason,
  refusal,
  locale,
}: NotApplied & { locale: Locale }): JSX.Element {
  const { t, rich } = locale
  return (
    // `purser links` reads the reason.
    <div data-code-not-applied={reason} data-code-refusal={refusal}>
      <Alert tone="info" title={t('checkout.code_not_applied_title')}>
        {rich('checkout.code_not_applied', {
          code,
          b: (text) => <span class="break-words">{text}</span>,
          reason,
        })}
      </Alert>
    </div>
  )
}

/** Asks the owner of an existing account to sign in. */
export function SignInPage(
  facts: Step & {
    cart_id: CartId
    details_url: string
    email: string
    fault: string | undefined
    /** True if the password was left empty, so that the error is its field's. */
    is_missing: boolean
    /** True if a sign-in link was just sent. */
    link_sent: boolean
    /** True if the buyer pressed Pay, which charged nothing. */
    is_after_pay: boolean
  },
): JSX.Element {
  const base = `/checkout/${facts.cart_id}`
  const { locale } = facts.purchase
  const { t, rich } = locale
  return (
    <FocusLayout
      {...layoutOf(facts.purchase)}
      title={t('checkout.sign_in_page_title', { app: facts.purchase.app_name })}
      has_error={facts.fault !== undefined}
    >
      <Steps current="details" />
      <Heading title={t('checkout.sign_in_title')}>
        {rich('checkout.sign_in_text', { email: <Mailbox address={facts.email} /> })}
      </Heading>
      {facts.is_after_pay && <Alert tone="info">{t('checkout.order_not_charged')}</Alert>}
      {facts.fault && !facts.is_missing && <Alert tone="error">{facts.fault}</Alert>}
      {facts.link_sent && (
        <Alert tone="success" title={t('checkout.check_inbox')}>
          {rich('checkout.link_sent', { email: <Mailbox address={facts.email} /> })}
        </Alert>
      )}
      <Form action={`${base}/sign-in`} csrf_token={facts.csrf_token}>
        <UsernameField value={facts.email} />
        <Field
          label={t('checkout.password')}
          name="password"
          type="password"
          autocomplete="current-password"
          error={facts.is_missing ? facts.fault : undefined}
        />
        <Button kind="primary" pending={t('checkout.signing_in')} wide>
          {t('checkout.sign_in')}
        </Button>
      </Form>
      <Form action={`${base}/sign-in-link`} csrf_token={facts.csrf_token}>
        <Button icon="mail" pending={t('checkout.sending')} wide>
          {t('checkout.email_link')}
        </Button>
      </Form>
      <BackLink href={facts.details_url}>{t('checkout.other_email')}</BackLink>
    </FocusLayout>
  )
}
