import type { JSX } from 'preact'
import { Button } from '#design/actions'
import { Alert } from '#design/feedback'
import { CheckboxField, Form } from '#design/forms'
import { Panel } from '#design/panels'
import { SELLER_EMAILS, type SellerEmail } from '#domain/sellers'
import { SellerMenuPage, type SellerReader } from './seller-menu.tsx'

const LABELS: Record<SellerEmail, { label: string; hint: string }> = {
  sale: { label: 'New sales and trials', hint: 'Who bought what, the fees and your earnings.' },
  cancellation: { label: 'Cancellations', hint: 'Who canceled, and when the license ends.' },
  failed_renewal: {
    label: 'Failed renewals',
    hint: 'The first time a renewal is declined. We retry and notify the buyer.',
  },
}

/** The settings for emails about buyers. */
export function EmailsPage(
  facts: SellerReader & {
    csrf_token: string
    muted: SellerEmail[]
    is_saved: boolean
  },
): JSX.Element {
  return (
    <SellerMenuPage
      {...facts}
      current="emails"
      title="Emails"
      intro="Choose what we email you about your buyers."
    >
      {facts.is_saved && <Alert tone="success">Saved.</Alert>}
      <Panel>
        <Form action="/dashboard/emails/" csrf_token={facts.csrf_token}>
          {SELLER_EMAILS.map((email) => (
            <CheckboxField
              key={email}
              name={email}
              {...LABELS[email]}
              checked={!facts.muted.includes(email)}
            />
          ))}
          <p class="text-sm text-muted">
            Emails about disputes, refunds that our staff make, payouts and your account’s security
            are always sent.
          </p>
          <div>
            <Button kind="primary" pending="Saving…">
              Save
            </Button>
          </div>
        </Form>
      </Panel>
    </SellerMenuPage>
  )
}
