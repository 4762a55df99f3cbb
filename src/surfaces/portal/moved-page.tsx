import type { JSX } from 'preact'
import { Button } from '#design/actions'
import { Form } from '#design/forms'
import { DescriptionList } from '#design/panels'
import { type ManageLayoutFacts, QuestionPage } from './layout.tsx'

/** A state and ZIP code, for comparison. */
export interface BilledPlace {
  state: string
  zip: string
}

/** The new card's billing state differs from the plan's tax state: asks whether the buyer moved. */
export function MovedPage(
  facts: ManageLayoutFacts & { declared: BilledPlace; billed: BilledPlace },
): JSX.Element {
  const { at, csrf_token, declared, billed } = facts
  return (
    <QuestionPage {...facts} title="Have you moved?">
      <p>
        Sales tax depends on your state. The billing address of your card and your tax address must
        be in the same state.
      </p>
      <DescriptionList
        items={[
          { term: 'Tax address', detail: `${declared.state} ${declared.zip}` },
          { term: 'Billing address of the new card', detail: `${billed.state} ${billed.zip}` },
        ]}
      />
      <div class="grid gap-3">
        <Form action={at('card/address')} csrf_token={csrf_token}>
          <Button kind="primary" pending="Saving…" wide>
            Change my tax address to {billed.state} {billed.zip}
          </Button>
        </Form>
        <Form action={at('card')} csrf_token={csrf_token}>
          <Button icon="card" pending="Opening…" wide>
            Use another card
          </Button>
        </Form>
        <Button href={at()} wide>
          Keep the card on file
        </Button>
      </div>
    </QuestionPage>
  )
}
