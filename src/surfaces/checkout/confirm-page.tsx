import type { JSX } from 'preact'
import { BackLink, Button, TextLink } from '#design/actions'
import { Alert } from '#design/feedback'
import { Field, Form } from '#design/forms'
import { FocusLayout } from '#design/layout'
import { formatMoney } from '#design/money'
import { Steps } from '#design/order'
import { DescriptionList, Disclosure, Heading } from '#design/panels'
import type { CartId } from '#platform/ids'
import { ZERO } from '#platform/money'
import type { NotApplied } from './discount.ts'
import { layoutOf, nameOf, type PurchaseSummary, type Step, titled } from './layout.tsx'

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
    is_trial: boolean
  } & DiscountFacts,
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
      {/* After the form that pays, which programs expect to be the first. */}
      <DiscountField {...facts} />
      <div class="flex flex-wrap gap-x-6">
        {!facts.is_preview && !is_declined && <BackLink href={card_url}>Use another card</BackLink>}
        <BackLink href={facts.details_url}>Change your details</BackLink>
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

type DiscountFieldFacts = DiscountFacts & Pick<Step, 'csrf_token'> & { cart_id: CartId }

/** Enters a discount code, or removes the one that applies. */
function DiscountField(facts: DiscountFieldFacts): JSX.Element {
  const { applied_code, not_applied, csrf_token } = facts
  const action = `/checkout/${facts.cart_id}/discount`
  if (applied_code !== undefined) {
    return (
      <div id="discount-code">
        <Form action={action} csrf_token={csrf_token}>
          <div class="flex flex-wrap items-center justify-between gap-x-4 gap-y-2">
            <p class="min-w-0 text-sm break-words">
              Discount code <strong class="font-semibold">{applied_code}</strong> is applied.
            </p>
            <Button pending="Removing…">Remove code</Button>
          </div>
        </Form>
      </div>
    )
  }
  return (
    <Disclosure id="discount-code" summary="Have a discount code?" open={not_applied !== undefined}>
      <Form action={action} csrf_token={csrf_token}>
        <div class="grid items-start gap-3 pt-2 sm:grid-cols-[1fr_auto]">
          <Field
            label="Discount code"
            name="discount"
            value={not_applied?.code}
            error={not_applied && `Not applied. ${not_applied.reason}`}
            autocomplete="off"
            spellcheck={false}
            maxlength={32}
          />
          <div class="sm:pt-6.5">
            <Button pending="Applying…" wide>
              Apply
            </Button>
          </div>
        </div>
      </Form>
    </Disclosure>
  )
}

function confirmText(facts: { purchase: PurchaseSummary; is_preview: boolean; is_trial: boolean }) {
  const { purchase, is_preview, is_trial } = facts
  if (is_preview) {
    const text = 'This is the page your buyers see. Nothing is charged in a preview.'
    return { text, action: 'Finish the preview', pending: 'Finishing…', verb: undefined }
  }
  const { total } = purchase.figures
  const nothing = 'Review your order. Nothing is charged today.'
  if (is_trial) {
    return { text: nothing, action: 'Start free trial', pending: 'Starting…', verb: 'starting' }
  }
  if (total === ZERO) {
    return { text: nothing, action: 'Complete order', pending: 'Completing…', verb: 'ordering' }
  }
  const text = 'Review your order. Your card is charged when you press Pay.'
  return { text, action: `Pay ${formatMoney(total)}`, pending: 'Paying…', verb: 'paying' }
}
