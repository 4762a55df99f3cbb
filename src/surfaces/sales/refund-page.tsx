import type { JSX } from 'preact'
import { Actions, BackLink, Button } from '#design/actions'
import { Alert, ErrorSummary } from '#design/feedback'
import { Field, Form } from '#design/forms'
import { SiteLayout } from '#design/layout'
import { formatMoney, Money } from '#design/money'
import { DescriptionList, Heading, Panel } from '#design/panels'
import { invoiceNumber, type Sale } from '#domain/billing'
import type { PageFacts } from './access.ts'

/** What the form of a refund holds. */
export interface RefundForm {
  amount: string
  reason: string
}

/** What a refund would do, to the cent. */
interface Offer {
  back: { amount: number; tax: number; fee: number }
  cost: number
  kept: number
  ends_license: boolean
}

/** What goes back, first asked for and then shown to the cent. */
export function RefundPage(
  facts: PageFacts & {
    sale: Sale
    form: RefundForm
    faults: { id: string; message: string }[]
    /** What is left of the payment; undefined where nothing can go back, and then why. */
    left: number | undefined
    obstacle: string | undefined
    /** What would happen, once an amount and a reason were given. */
    offer: Offer | undefined
    /** Names what is shown, so that nothing else is done. */
    seen: string
    /** True where something changed since it was shown. */
    has_changed: boolean
  },
): JSX.Element {
  const { sale, base, offer } = facts
  const path = `${base}/sales/${sale.id}/`
  const title = `Refund ${invoiceNumber(sale.number)}`
  return (
    <SiteLayout
      title={`${facts.faults.length > 0 ? 'Error: ' : ''}${title} · Purser`}
      nav={facts.nav}
      notice={facts.notice}
    >
      <div class="grid gap-2">
        <BackLink href={path}>{invoiceNumber(sale.number)}</BackLink>
        <Heading title={title}>
          {sale.product_name}, paid by {sale.email}. It goes back to the card that paid.
        </Heading>
      </div>
      {facts.has_changed && (
        <Alert tone="warning" title="Something has changed">
          Nothing was refunded. Look at the figures again.
        </Alert>
      )}
      {facts.obstacle && <Alert tone="info">{facts.obstacle}</Alert>}
      <ErrorSummary errors={facts.faults} title="Nothing was refunded" />
      {offer ? <Preview {...facts} offer={offer} /> : !facts.obstacle && <Ask {...facts} />}
    </SiteLayout>
  )
}

type Facts = Parameters<typeof RefundPage>[0]

function Ask({ form, faults, left, csrf_token, base, sale }: Facts): JSX.Element {
  const error = (name: string) => faults.find(({ id }) => id === name)?.message
  return (
    <Panel title="How much?">
      <Form action={`${base}/sales/${sale.id}/refund`} csrf_token={csrf_token}>
        <Field
          label="Amount in dollars, tax included"
          name="amount"
          inputmode="decimal"
          autocomplete="off"
          value={form.amount}
          error={error('amount')}
          hint={left === undefined ? undefined : `${formatMoney(left)} is left of this payment.`}
        />
        <Field
          label="Reason"
          name="reason"
          autocomplete="off"
          maxlength={200}
          value={form.reason}
          error={error('reason')}
          hint="For your records; the buyer reads it in the letter about the refund."
        />
        <Actions>
          <Button kind="primary" name="step" value="preview" pending="Working it out…">
            Show what happens
          </Button>
        </Actions>
      </Form>
    </Panel>
  )
}

function Preview({ offer, form, seen, csrf_token, base, sale, as }: Facts & { offer: Offer }) {
  const { back } = offer
  const money = (term: string, cents: number) => ({ term, detail: <Money cents={cents} /> })
  const whose = as === 'seller' ? 'your' : 'the seller’s'
  return (
    <Panel title="What happens">
      <DescriptionList
        items={[
          money('The buyer gets', back.amount),
          money('of it sales tax, not owed any more', back.tax),
          money('Fee that comes back', back.fee),
          money('Fee that stays with Purser', offer.kept),
          money(`Taken from ${whose} balance`, offer.cost),
        ]}
      />
      <p class="text-sm">
        {offer.ends_license
          ? 'It is all of the latest payment, so the license is canceled at once and its key stops working.'
          : 'The license goes on as it is.'}
      </p>
      <Form action={`${base}/sales/${sale.id}/refund`} csrf_token={csrf_token}>
        <input type="hidden" name="amount" value={form.amount} />
        <input type="hidden" name="reason" value={form.reason} />
        <input type="hidden" name="seen" value={seen} />
        <Actions>
          <Button kind="danger" name="step" value="confirm" pending="Refunding…">
            Refund {formatMoney(back.amount)}
          </Button>
          <Button kind="ghost" href={`${base}/sales/${sale.id}/`}>
            Cancel
          </Button>
        </Actions>
      </Form>
    </Panel>
  )
}
