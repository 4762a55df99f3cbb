import type { JSX } from 'preact'
import { Button } from '#design/actions'
import { Alert } from '#design/feedback'
import { FocusLayout } from '#design/layout'
import { Steps } from '#design/order'
import { DescriptionList, Heading } from '#design/panels'
import { layoutOf, type Step, titled } from './layout.tsx'

type CardPageFacts = Omit<Step, 'csrf_token'> & { card_url: string }

/** A card that cannot be used here. */
export function CardRefusedPage(
  facts: CardPageFacts & { reason: 'abroad' | 'unknown_zip' },
): JSX.Element {
  const text =
    facts.reason === 'abroad'
      ? 'The card’s billing address is outside the United States. Purchases are available in the United States only.'
      : 'The card’s billing ZIP code is not a US ZIP code. Check it and try again.'
  return (
    <FocusLayout {...layoutOf(facts.purchase)} title={`Card refused · ${facts.purchase.app_name}`}>
      <Steps current="Card" />
      <Heading title="This card cannot be used here">Nothing was charged.</Heading>
      <Alert tone="error">{text}</Alert>
      <Button kind="primary" href={facts.card_url} wide>
        Use another card
      </Button>
    </FocusLayout>
  )
}

/** A state and ZIP code, for comparison. */
export interface Place {
  state: string
  zip: string
}

/** The card's billing state differs from the tax state: one of them must be corrected. */
export function OtherStatePage(
  facts: CardPageFacts & { details_url: string; declared: Place; billed: Place },
): JSX.Element {
  const { purchase, declared, billed } = facts
  return (
    <FocusLayout
      {...layoutOf(purchase)}
      title={titled(`Your addresses differ · ${purchase.app_name}`, true)}
    >
      <Steps current="Card" />
      <Heading title="Your addresses do not match">Nothing was charged.</Heading>
      <Alert tone="error">
        Sales tax depends on your state. The billing address of your card and your tax address must
        be in the same state. Correct one of them.
      </Alert>
      <DescriptionList
        items={[
          { term: 'Tax address', detail: `${declared.state} ${declared.zip}` },
          { term: 'Billing address', detail: `${billed.state} ${billed.zip}` },
        ]}
      />
      <Button kind="primary" href={facts.details_url} wide>
        Change your details
      </Button>
      <Button href={facts.card_url} wide>
        Use another card
      </Button>
    </FocusLayout>
  )
}
