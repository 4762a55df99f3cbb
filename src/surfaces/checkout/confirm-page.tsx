import type { JSX } from 'preact'
import { BackLink, Button, TextLink } from '#design/actions'
import { Alert } from '#design/feedback'
import { Field, Form } from '#design/forms'
import { FocusLayout } from '#design/layout'
import { Steps } from '#design/order'
import { DescriptionList, Disclosure, Heading } from '#design/panels'
import type { CartId } from '#platform/ids'
import { ZERO } from '#platform/money'
import type { NotApplied } from './discount.ts'
import { layoutOf, nameOf, type PurchaseSummary, type Step } from './layout.tsx'

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
    /** True if the card was declined, so that the main action is to use another one. */
    needs_other_card: boolean
    is_trial: boolean
    /** Whether the plan has a trial that this buyer or this card already used. */
    is_trial_used: boolean
    /** The end of what was paid at another service, for an imported license that is continued. */
    prepaid_until: Date | undefined
  } & DiscountFacts,
): JSX.Element {
  const { purchase, alert, needs_other_card } = facts
  const { locale } = purchase
  const { t, rich } = locale
  const card_url = `/checkout/${facts.cart_id}/card`
  const { text, action, pending, verb } = confirmText(facts)
  return (
    <FocusLayout
      {...layoutOf(purchase)}
      title={t('checkout.confirm_page_title', { app: purchase.app_name })}
      has_error={alert !== undefined}
    >
      <Steps current="confirm" />
      <Heading title={t('checkout.confirm_title')}>{text}</Heading>
      {alert && (
        <Alert tone="error" title={alert.title}>
          {alert.text}
        </Alert>
      )}
      {facts.is_trial_used && (
        <Alert tone="info" title={t('checkout.trial_used_title')}>
          {t('checkout.trial_used_text', { app: purchase.app_name })}
        </Alert>
      )}
      <DescriptionList
        items={[
          { term: t('checkout.plan'), detail: nameOf(purchase) },
          { term: t('checkout.email'), detail: facts.email },
          { term: t('checkout.tax_address'), detail: facts.place },
          { term: t('checkout.card'), detail: facts.card },
          { term: t('checkout.on_statement'), detail: facts.statement },
        ]}
      />
      <Form action={`/checkout/${facts.cart_id}/confirm`} csrf_token={facts.csrf_token}>
        <input type="hidden" name="agreement" value={facts.agreement} />
        <p class="text-sm">{purchase.figures.renewal}</p>
        {facts.prepaid_until && <p class="text-sm text-muted">{t('checkout.cancel_elsewhere')}</p>}
        {needs_other_card && (
          <Button kind="primary" icon="card" href={card_url} wide>
            {t('checkout.other_card')}
          </Button>
        )}
        <Button kind={needs_other_card ? 'plain' : 'primary'} icon="lock" pending={pending} wide>
          {action}
        </Button>
        {verb && (
          <p class="text-xs text-muted">
            {rich(`checkout.agree_${verb}`, {
              terms: (text) => <TextLink href="/terms/">{text}</TextLink>,
              refunds: (text) => <TextLink href="/refunds/">{text}</TextLink>,
            })}
          </p>
        )}
      </Form>
      {/* After the form that pays, which programs expect to be the first. */}
      <DiscountField {...facts} />
      <div class="flex flex-wrap gap-x-6">
        {!facts.is_preview && !needs_other_card && (
          <BackLink href={card_url}>{t('checkout.other_card')}</BackLink>
        )}
        <BackLink href={facts.details_url}>{t('checkout.change_details')}</BackLink>
      </div>
    </FocusLayout>
  )
}

/** The discount code of a cart. */
interface DiscountFacts {
  /** The code that applies. */
  applied_code: string | undefined
  /** The code that was entered and does not apply. */
  not_applied: NotApplied | undefined
}

type DiscountFieldFacts = DiscountFacts & Step & { cart_id: CartId }

/** Enters a discount code, or removes the one that applies. */
function DiscountField(facts: DiscountFieldFacts): JSX.Element {
  const { applied_code, not_applied, csrf_token } = facts
  const { t, rich } = facts.purchase.locale
  const action = `/checkout/${facts.cart_id}/discount`
  if (applied_code !== undefined) {
    return (
      <div id="discount-code">
        <Form action={action} csrf_token={csrf_token}>
          <div class="flex flex-wrap items-center justify-between gap-x-4 gap-y-2">
            <p class="min-w-0 text-sm break-words">
              {rich('checkout.code_applied', {
                code: applied_code,
                strong: (text) => <strong class="font-semibold">{text}</strong>,
              })}
            </p>
            <Button pending={t('checkout.removing')}>{t('checkout.remove_code')}</Button>
          </div>
        </Form>
      </div>
    )
  }
  return (
    <Disclosure
      id="discount-code"
      summary={t('checkout.have_code')}
      open={not_applied !== undefined}
    >
      <Form action={action} csrf_token={csrf_token}>
        <div class="grid items-start gap-3 pt-2 sm:grid-cols-[1fr_auto]">
          <Field
            label={t('checkout.discount_code')}
            name="discount"
            value={not_applied?.code}
            error={not_applied && t('checkout.code_fault', { reason: not_applied.reason })}
            autocomplete="off"
            spellcheck={false}
            maxlength={32}
          />
          <div class="sm:pt-6.5">
            <Button pending={t('checkout.applying')} wide>
              {t('checkout.apply')}
            </Button>
          </div>
        </div>
      </Form>
    </Disclosure>
  )
}

function confirmText(facts: {
  purchase: PurchaseSummary
  is_preview: boolean
  is_trial: boolean
  prepaid_until: Date | undefined
}) {
  const { purchase, is_preview, is_trial, prepaid_until } = facts
  const { t, money } = purchase.locale
  if (is_preview) {
    const text = t('checkout.preview_review')
    return {
      text,
      action: t('checkout.finish_preview'),
      pending: t('checkout.finishing'),
      verb: undefined,
    }
  }
  const { total } = purchase.figures
  const nothing = t('checkout.review_nothing')
  if (prepaid_until) {
    return {
      text: nothing,
      action: t('checkout.continue_with_card'),
      pending: t('checkout.continuing'),
      verb: 'continuing' as const,
    }
  }
  if (is_trial) {
    return {
      text: nothing,
      action: t('checkout.start_trial'),
      pending: t('checkout.starting'),
      verb: 'starting' as const,
    }
  }
  if (total === ZERO) {
    return {
      text: nothing,
      action: t('checkout.complete_order'),
      pending: t('checkout.completing'),
      verb: 'ordering' as const,
    }
  }
  const text = t('checkout.review_charge')
  return {
    text,
    action: t('checkout.pay', { amount: money(total) }),
    pending: t('checkout.paying'),
    verb: 'paying' as const,
  }
}
