import type { JSX } from 'preact'
import { BackLink, Button } from '#design/actions'
import { ErrorSummary } from '#design/feedback'
import { Field } from '#design/forms'
import { FocusLayout } from '#design/layout'
import { DescriptionList, Heading, Mailbox } from '#design/panels'
import type { Onboarding } from './accounts.ts'
import { type BankFaults, EXAMPLE_ACCOUNT } from './bank-form.ts'
import { TEST_ROUTING_NUMBER } from './banks.ts'
import { errorsOf } from './card-pages.tsx'

/** The page on which a payee enters their bank account. */
export function AccountPage({
  onboarding,
  routing_number,
  faults,
}: {
  onboarding: Onboarding
  routing_number: string
  faults?: BankFaults
}): JSX.Element {
  const { bank_name, bank_last4, email, return_url } = onboarding
  const bank = bank_name ? `${bank_name}, account ending in ${bank_last4}` : 'None yet'
  return (
    <FocusLayout
      title="Your bank account · Purser"
      has_error={faults !== undefined}
      notice={
        <>
          Test mode: no real money moves. Use routing number {TEST_ROUTING_NUMBER} and account
          number {EXAMPLE_ACCOUNT}.
        </>
      }
    >
      <Heading title="Where your payouts go">
        Enter a bank account in the United States. Only the last four digits are stored.
      </Heading>
      <ErrorSummary errors={errorsOf(faults)} />
      <DescriptionList
        items={[
          { term: 'Account', detail: <Mailbox address={email} /> },
          { term: 'Bank', detail: bank },
        ]}
      />
      <form method="post" novalidate class="grid gap-5">
        <Field
          label="Routing number"
          name="routing_number"
          inputmode="numeric"
          format="digits"
          autocomplete="off"
          spellcheck={false}
          value={routing_number}
          error={faults?.routing_number}
        />
        <Field
          label="Account number"
          name="account_number"
          inputmode="numeric"
          format="digits"
          autocomplete="off"
          icon="lock"
          spellcheck={false}
          hint={faults && 'We do not keep account numbers, so please type it again.'}
          error={faults?.account_number}
        />
        <Button kind="primary" pending="Saving" wide>
          Save this account
        </Button>
      </form>
      <BackLink href={return_url}>Back without changes</BackLink>
    </FocusLayout>
  )
}
