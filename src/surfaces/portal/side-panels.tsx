import type { JSX } from 'preact'
import { Actions, Button, CopyField } from '#design/actions'
import { Form } from '#design/forms'
import { DescriptionList, Panel } from '#design/panels'
import type { ManageFacts } from './manage-facts.ts'

/** The key, with buttons to copy and replace it. */
export function KeyPanel(facts: ManageFacts): JSX.Element {
  return (
    <Panel title="Your key">
      {facts.license_key === undefined ? (
        <p class="text-sm text-muted">Keys of canceled licenses are not shown.</p>
      ) : (
        <>
          <CopyField id="license_key" label="License key" value={facts.license_key} />
          <p class="text-sm text-muted">
            {facts.app_name} may ask for it on a new device. Do not share it.
          </p>
          {facts.may_rotate ? (
            <Actions>
              <Button href={facts.at('key/')} icon="key">
                Replace the key
              </Button>
            </Actions>
          ) : (
            <p class="text-sm text-muted">
              To replace your key, first confirm your email with the link in your receipt.
            </p>
          )}
        </>
      )}
    </Panel>
  )
}

/** The card on file, with a button to change it. */
export function CardPanel({ card, at, csrf_token, status }: ManageFacts): JSX.Element | null {
  if (!card) return null
  const isOwing = status === 'past_due' || status === 'unpaid'
  return (
    <Panel title="Card">
      <DescriptionList
        items={[
          { term: 'Pays with', detail: card.name },
          { term: 'Expires', detail: card.expiry },
        ]}
      />
      {!isOwing && (
        <Form action={at('card')} csrf_token={csrf_token}>
          <Actions>
            <Button icon="card" pending="Opening…">
              Update card
            </Button>
          </Actions>
        </Form>
      )}
    </Panel>
  )
}
