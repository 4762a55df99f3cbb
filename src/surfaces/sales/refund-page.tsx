import type { JSX } from 'preact'
import { Actions, BackLink, Button } from '#design/actions'
import { Alert, ErrorSummary } from '#design/feedback'
import { CheckboxField, Field, Form } from '#design/forms'
import { SiteLayout } from '#design/layout'
import { formatMoney, Money } from '#design/money'
import { DescriptionList, Heading, Panel } from '#design/panels'
import { invoiceNumber, type Sale } from '#domain/billing'
import type { SalesPageFacts } from './sales-context.ts'

/** What the form of a refund holds. */
export interface RefundForm {
  amount: string
  reason: string
  /** Whether the credit that an upgrade consumed goes back too. */
  credit: boolean
}

/** What a refund would do, to the cent. */
interface OfferedRefund {
  back: { amount: number; tax: number; fee: number }
  cost: number
  kept: number
  ends_license: boolean
  credit: { back: { amount: number; tax: number; fee: number }; cost: number } | undefined
}

/** What goes back, first asked for and then shown to the cent. */
export function RefundPage(
  facts: SalesPageFacts & {
    sale: Sale
    form: RefundForm
    faults: { id: string; message: string }[]
    /** What is left of the payment; undefined where nothing can go back, and then why. */
    left: number | undefined
    /** What earlier payments gave to this upgrade, tax included; zero where it is none. */
    credit: number
    obstacle: string | undefined
    /** What would happen, once an amount and a reason were given. */
    offer: OfferedRefund | undefined
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

type RefundPageFacts = Parameters<typeof RefundPage>[0]

function Ask({ form, faults, left, credit, csrf_token, base, sale }: RefundPageFacts): JSX.Element {
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
        {credit > 0 && (
          <CheckboxField
            name="credit"
            checked={form.credit}
            error={error('credit')}
            label={`Refund the credit of the plan before too: ${formatMoney(credit)}`}
            hint="This payment was an upgrade. The buyer paid the credit with an earlier charge, tax included, and has nothing for it once this payment is refunded in full."
          />
        )}
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

function Preview({
  offer,
  form,
  seen,
  csrf_token,
  base,
  sale,
  as,
}: RefundPageFacts & { offer: OfferedRefund }) {
  const { back, cost } = withCredit(offer, form)
  const money = (term: string, cents: number) => ({ term, detail: <Money cents={cents} /> })
  const whose = as === 'seller' ? 'your' : 'the seller’s'
  return (
    <Panel title="What happens">
      <DescriptionList
        items={[
          money('The buyer gets', back.amount),
          ...(form.credit && offer.credit
            ? [money('of it the credit of the plan before', offer.credit.back.amount)]
            : []),
          money('of it sales tax, not owed any more', back.tax),
          money('Fee that comes back', back.fee),
          money('Fee that stays with Purser', offer.kept),
          money(`Taken from ${whose} balance`, cost),
        ]}
      />
      <p class="text-sm">
        {offer.ends_license
          ? 'It is all of the latest payment, so the license is canceled at once and its key stops working.'
          : 'The license goes on as it is.'}
      </p>
      {offer.credit && !form.credit && (
        <Alert tone="warning" title="The buyer paid more for this period">
          This payment was an upgrade. The {formatMoney(offer.credit.back.amount)} of credit that it
          used, tax included, came from an earlier payment and is not refunded. Go back and choose
          the credit to refund it too.
        </Alert>
      )}
      <Form action={`${base}/sales/${sale.id}/refund`} csrf_token={csrf_token}>
        <input type="hidden" name="amount" value={form.amount} />
        <input type="hidden" name="reason" value={form.reason} />
        {form.credit && <input type="hidden" name="credit" value="yes" />}
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

/** What goes back and what it costs, with the credit where that was chosen. */
function withCredit(
  { back, cost, credit }: OfferedRefund,
  form: RefundForm,
): Pick<OfferedRefund, 'back' | 'cost'> {
  if (!form.credit || !credit) return { back, cost }
  const { amount, tax, fee } = credit.back
  return {
    back: { amount: back.amount + amount, tax: back.tax + tax, fee: back.fee + fee },
    cost: cost + credit.cost,
  }
}
