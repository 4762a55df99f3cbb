import type { JSX } from 'preact'
import { Actions, Button, TextLink } from '#design/actions'
import { CopyField } from '#design/copy'
import { Alert, Processing, RedirectNotice } from '#design/feedback'
import { Form } from '#design/forms'
import { FocusLayout } from '#design/layout'
import { Steps } from '#design/order'
import { Heading, Mailbox } from '#design/panels'
import { PaymentProcessing } from '#http/payment-processing'
import type { CartId } from '#platform/ids'
import type { Locale } from '#platform/language/locale'
import { ZERO } from '#platform/money'
import { durationText } from '#platform/text'
import { layoutOf, nameOf, type PurchaseSummary, type Step } from './layout.tsx'

interface OtherCartFacts {
  /** Whether the buyer comes from another cart, which is not charged. */
  is_from_other_cart: boolean
}

function PlacedBefore({ t }: Pick<Locale, 't'>): JSX.Element {
  return (
    <Alert tone="info" title={t('checkout.placed_before_title')}>
      {t('checkout.placed_before_text')}
    </Alert>
  )
}

/** After Pay, while the processor has not answered. */
export function ProcessingPage(
  facts: Omit<Step, 'csrf_token'> & {
    url: string
    return_url: string
    /** Where the receipt goes. */
    email: string
    /** Whether the answer takes longer than usual. */
    is_slow: boolean
    /** Whether it is another purchase by this buyer, in another browser, that is processing. */
    is_other: boolean
  } & OtherCartFacts,
): JSX.Element {
  const { app_name: app, locale } = facts.purchase
  const { t, rich } = locale
  return (
    <FocusLayout
      {...layoutOf(facts.purchase)}
      title={t('processing.page_title', { app })}
      refresh_seconds={3}
    >
      <Steps current="confirm" />
      {facts.is_from_other_cart && <PlacedBefore t={t} />}
      {facts.is_other ? (
        <Processing title={t('checkout.other_processing_title')} href={facts.url}>
          {facts.is_slow
            ? rich('checkout.other_processing_slow_text', {
                app,
                email: <Mailbox address={facts.email} />,
              })
            : t('checkout.other_processing_text', { app })}
        </Processing>
      ) : (
        <PaymentProcessing {...facts} href={facts.url} locale={locale} />
      )}
      <Button href={facts.return_url} icon_after="arrow-right" wide>
        {t('checkout.return_to', { app })}
      </Button>
    </FocusLayout>
  )
}

/** Step 4: the key, and the link back to the app. */
export function SuccessPage(
  facts: Step & {
    cart_id: CartId
    email: string
    license_key: string
    return_url: string
    manage_url: string
    is_trial: boolean
    /** Whether an imported license was continued. */
    is_continued: boolean
    /** The result of resending the receipt: sent, or the seconds to wait. */
    resent: 'sent' | number | undefined
  } & OtherCartFacts,
): JSX.Element {
  const { purchase } = facts
  const { t, rich } = purchase.locale
  const [pageTitle, title] = facts.is_continued
    ? (['checkout.continued_page_title', 'checkout.continued_title'] as const)
    : (['checkout.success_page_title', 'checkout.success_title'] as const)
  return (
    <FocusLayout {...layoutOf(purchase)} title={t(pageTitle, { app: purchase.app_name })}>
      <Steps current="done" />
      <Heading title={t(title, { product: nameOf(purchase) })} done>
        {rich('checkout.success_text', {
          start: startOf(facts),
          email: <Mailbox address={facts.email} />,
        })}
      </Heading>
      {facts.is_from_other_cart && <PlacedBefore t={t} />}
      {facts.resent === 'sent' && (
        <Alert tone="success">
          {rich('checkout.resent', { email: <Mailbox address={facts.email} /> })}
        </Alert>
      )}
      {typeof facts.resent === 'number' && (
        <Alert tone="info">
          {t('checkout.resent_often', { wait: durationText(facts.resent, purchase.locale) })}
        </Alert>
      )}
      <CopyField id="license_key" label={t('checkout.license_key')} value={facts.license_key} />
      <p class="-mt-4 text-sm text-muted">
        {rich('checkout.key_also', {
          link: (text) => <TextLink href={facts.manage_url}>{text}</TextLink>,
        })}
      </p>
      <div class="grid gap-2">
        <Button kind="primary" href={facts.return_url} icon_after="arrow-right" wide>
          {t('checkout.continue_to', { app: purchase.app_name })}
        </Button>
        {facts.resent === undefined && !facts.is_from_other_cart && (
          <RedirectNotice url={facts.return_url} destination={purchase.app_name} />
        )}
      </div>
      <div class="border-t border-base-300 pt-5">
        <Form action={`/checkout/${facts.cart_id}/receipt`} csrf_token={facts.csrf_token}>
          <Actions>
            <Button icon="mail" pending={t('checkout.sending')}>
              {t('checkout.resend')}
            </Button>
          </Actions>
        </Form>
      </div>
    </FocusLayout>
  )
}

/** Why the license of a cart is not continued. */
export function NotContinuedPage(
  facts: Omit<Step, 'csrf_token'> & {
    why: 'ended' | 'suspended' | 'renews' | 'paid' | 'changed'
    manage_url: string
  },
): JSX.Element {
  const { purchase, why } = facts
  const { t } = purchase.locale
  return (
    <FocusLayout
      {...layoutOf(purchase)}
      title={t('checkout.not_continued_page_title', { app: purchase.app_name })}
    >
      <Heading title={t('checkout.not_continued_title')}>
        {t(`checkout.not_continued_${why}`)} {t('checkout.nothing_charged')}
      </Heading>
      <Button kind="primary" href={facts.manage_url} icon_after="arrow-right" wide>
        {t('checkout.to_manage')}
      </Button>
    </FocusLayout>
  )
}

function startOf(facts: {
  purchase: PurchaseSummary
  is_trial: boolean
  is_continued: boolean
}): string {
  const { purchase, is_trial, is_continued } = facts
  const { t } = purchase.locale
  if (is_continued) return t('checkout.continued')
  if (is_trial) return t('checkout.trial_started')
  return purchase.figures.total === ZERO
    ? t('checkout.nothing_charged')
    : t('checkout.payment_received')
}

/** A buy link whose price is unknown, or is not sold now. */
export function NotForSalePage({ locale }: { locale: Locale }): JSX.Element {
  const { t } = locale
  return (
    <FocusLayout locale={locale} title={t('checkout.not_for_sale_page_title')}>
      <Heading title={t('checkout.not_for_sale_title')}>{t('checkout.not_for_sale_text')}</Heading>
      <Button href="/">{t('error.home')}</Button>
    </FocusLayout>
  )
}
