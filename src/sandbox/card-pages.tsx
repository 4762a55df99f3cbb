import type { ComponentChildren, JSX } from 'preact'
import { Actions, BackLink, Button } from '#design/actions'
import { ErrorSummary } from '#design/feedback'
import { Field, FieldRow } from '#design/forms'
import { FocusLayout } from '#design/layout'
import { formatMoney } from '#design/money'
import { Steps } from '#design/order'
import { DescriptionList, Heading, Mailbox } from '#design/panels'
import { cardName } from '#domain/payments'
import type { CardEntry } from './card-entries.ts'
import { type CardFaults, EXAMPLE_NUMBER, type KeptValues } from './card-form.ts'
import type { Challenge } from './charges.ts'

/** The test mode banner of every card page. */
export function TestMode(): JSX.Element {
  return (
    <>
      Test mode: no real money moves. Pay with{' '}
      <span class="whitespace-nowrap">{EXAMPLE_NUMBER}</span>, any future expiry and any CVC.
    </>
  )
}

const nameOf = ({ app_name, product_name }: CardEntry) => `${app_name} ${product_name}`

function Summary({ entry }: { entry: CardEntry }): JSX.Element {
  return (
    <div class="grid gap-6">
      <div class="grid gap-1">
        <h2 class="font-semibold">{nameOf(entry)}</h2>
        {entry.summary.map((sentence, index) => (
          <p
            key={sentence}
            class={index === 0 ? 'text-2xl font-semibold' : 'mt-1 text-sm text-muted'}
          >
            {sentence}
          </p>
        ))}
      </div>
      <p class="border-t border-base-300 pt-4 text-sm text-muted">
        For{' '}
        <span class="text-base-content">
          <Mailbox address={entry.email} />
        </span>
      </p>
    </div>
  )
}

/** The values and errors that a card form shows. */
export type CardFormFacts = { kept: KeptValues; faults?: CardFaults }

/** The card form; `label` is the text of its button. */
export function CardForm({
  kept,
  faults,
  label = 'Continue',
}: CardFormFacts & { label?: string }): JSX.Element {
  return (
    <form method="post" novalidate class="grid gap-5">
      <Field
        label="Card number"
        name="number"
        autocomplete="cc-number"
        inputmode="numeric"
        format="card"
        icon="card"
        spellcheck={false}
        hint={faults && 'We do not keep card numbers, so please type the number and CVC again.'}
        error={faults?.number}
      />
      <FieldRow>
        <Field
          label="Expiry"
          name="expiry"
          autocomplete="cc-exp"
          inputmode="numeric"
          format="expiry"
          placeholder="MM / YY"
          value={kept.expiry}
          error={faults?.expiry}
        />
        <Field
          label="CVC"
          name="cvc"
          autocomplete="cc-csc"
          inputmode="numeric"
          format="digits"
          icon="lock"
          maxlength={4}
          spellcheck={false}
          error={faults?.cvc}
        />
      </FieldRow>
      <Field
        label="Billing ZIP code"
        name="zip"
        autocomplete="postal-code"
        inputmode="numeric"
        format="zip"
        value={kept.zip}
        error={faults?.zip}
      />
      <Button kind="primary" pending="Checking your card" wide>
        {label}
      </Button>
    </form>
  )
}

/** The card page of checkout, its second step. */
export function CardEntryPage({
  entry,
  kept,
  faults,
}: { entry: CardEntry } & CardFormFacts): JSX.Element {
  return (
    <FocusLayout
      title={`${faults ? 'Error: ' : ''}Your card · ${entry.app_name}`}
      app_name={entry.app_name}
      selling
      notice={<TestMode />}
      summary={<Summary entry={entry} />}
      summary_line={entry.summary[0]}
    >
      <Steps current="Card" />
      <Heading title="Enter your card">
        Nothing is charged yet: you confirm on the next page.
      </Heading>
      <ErrorSummary errors={errorsOf(faults)} />
      <CardForm kept={kept} faults={faults} />
      <BackLink href={entry.back_url}>Back to your details</BackLink>
    </FocusLayout>
  )
}

/** The errors of a form, by field. */
export function errorsOf(faults: Partial<Record<string, string>> = {}) {
  return Object.entries(faults).map(([id, message = '']) => ({ id, message }))
}

/** The bank's page for 3-D Secure authentication. */
export function ChallengePage({ challenge }: { challenge: Challenge }): JSX.Element {
  const { amount, app_name, description } = challenge
  const items = [
    { term: 'App', detail: app_name },
    { term: 'For', detail: description },
    { term: 'Card', detail: cardName(challenge) },
    {
      term: 'Amount',
      detail: amount === 0 ? '$0.00, only to check the card' : formatMoney(amount),
    },
  ]
  return (
    <FocusLayout
      title={`Confirm this payment · ${app_name}`}
      app_name={app_name}
      selling
      notice="Test mode: no real money moves. This page simulates your bank."
    >
      <Heading title="Confirm that it is you">
        Your bank wants to know that you are making this payment.
      </Heading>
      <DescriptionList items={items} />
      <form method="post" class="grid gap-3">
        <Button kind="primary" name="result" value="complete" wide>
          Complete authentication
        </Button>
        <Button name="result" value="fail" wide>
          Fail authentication
        </Button>
      </form>
    </FocusLayout>
  )
}

/** A page with a message, and an optional link. */
export function MessagePage(facts: {
  title: string
  children: ComponentChildren
  next?: { label: string; href: string }
}): JSX.Element {
  return (
    <FocusLayout title={`${facts.title} · Purser`}>
      <Heading title={facts.title}>{facts.children}</Heading>
      {facts.next && (
        <Actions>
          <Button kind="primary" href={facts.next.href}>
            {facts.next.label}
          </Button>
        </Actions>
      )}
    </FocusLayout>
  )
}
