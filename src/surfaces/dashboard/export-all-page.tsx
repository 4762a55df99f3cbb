import type { JSX } from 'preact'
import { Actions, Button, TextLink } from '#design/actions'
import { CheckboxField, Form } from '#design/forms'
import { Panel } from '#design/panels'
import { SellerMenuPage, type SellerReader } from './seller-menu.tsx'

/** Requests an export of all of a seller's data. */
export function ExportAllPage(
  facts: SellerReader & {
    legal_name: string
    csrf_token: string
  },
): JSX.Element {
  return (
    <SellerMenuPage
      {...facts}
      current="export"
      title="Export your data"
      intro={`All data of ${facts.legal_name}, in one ZIP archive of CSV and JSON files.`}
    >
      <div class="max-w-2xl">
        <Panel>
          <p class="text-sm text-muted">
            Apps, plans and prices, listings and images, customers, licenses, subscriptions, orders,
            invoices, refunds, disputes, discounts, affiliates, payouts, the ledger, members and the
            activity log, with a manifest that explains every column. Only you can download it, for
            7 days. <TextLink href="/docs/export/">What the files contain</TextLink>
          </p>
          <Form action="/dashboard/export/" csrf_token={facts.csrf_token}>
            <CheckboxField
              label="Include license keys"
              name="with_keys"
              hint="Needed to import the licenses elsewhere. A key gives access: keep the file safe."
              optional
            />
            <Actions>
              <Button kind="primary" pending="Exporting…">
                Export everything
              </Button>
            </Actions>
          </Form>
        </Panel>
      </div>
    </SellerMenuPage>
  )
}
