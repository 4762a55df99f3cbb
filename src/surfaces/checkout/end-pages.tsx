import type { JSX } from 'preact'
import { Actions, Button, CopyField, TextLink } from '#design/actions'
import { Alert, Processing, RedirectNotice } from '#design/feedback'
import { Form } from '#design/forms'
import { FocusLayout } from '#design/layout'
import { Steps } from '#design/order'
import { Heading, Mailbox } from '#design/panels'
import type { CartId } from '#platform/ids'
import { ZERO } from '#platform/money'
import { durationText } from '#platform/text'
import { layoutOf, nameOf, type PurchaseSummary, type Step } from './layout.tsx'

/** After Pay, while the processor has not answered. */
export function ProcessingPage(
  facts: Omit<Step, 'csrf_token'> & { url: string; return_url: string },
): JSX.Element {
  return (
    <FocusLayout
      {...layoutOf(facts.purchase)}
      title={`One moment · ${facts.purchase.app_name}`}
      refresh_seconds={3}
    >
      <Steps current="Confirm" />
      <Processing title="Processing your payment" href={facts.url}>
        We are waiting for your bank. This page updates automatically, usually within seconds. Your
        card is charged at most once. You can leave this page: we email you the receipt.
      </Processing>
      <Button href={facts.return_url} icon_after="arrow-right" wide>
        Return to {facts.purchase.app_name}
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
    /** The result of resending the receipt: sent, or the seconds to wait. */
    resent: 'sent' | number | undefined
  },
): JSX.Element {
  const { purchase } = facts
  return (
    <FocusLayout {...layoutOf(purchase)} title={`Payment complete · ${purchase.app_name}`}>
      <Steps current="Done" />
      <Heading title={`${nameOf(purchase)} is yours`} done>
        {startOf(facts)} We sent a receipt to <Mailbox address={facts.email} />.
      </Heading>
      {facts.resent === 'sent' && (
        <Alert tone="success">
          We sent the receipt to <Mailbox address={facts.email} /> again.
        </Alert>
      )}
      {typeof facts.resent === 'number' && (
        <Alert tone="info">
          The receipt was already sent several times. Check your spam folder, or try again in{' '}
          {durationText(facts.resent)}.
        </Alert>
      )}
      <CopyField id="license_key" label="License key" value={facts.license_key} />
      <p class="-mt-4 text-sm text-muted">
        Your key is also in your receipt and on{' '}
        <TextLink href={facts.manage_url}>your purchase page</TextLink>.
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

function startOf({ purchase, is_trial }: { purchase: PurchaseSummary; is_trial: boolean }): string {
  if (is_trial) return 'Your free trial has started.'
  return purchase.figures.total === ZERO ? 'Nothing was charged.' : 'Payment received.'
}
