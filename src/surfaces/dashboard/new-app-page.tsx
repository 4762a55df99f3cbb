import type { JSX } from 'preact'
import { Button } from '#design/actions'
import { ErrorSummary } from '#design/feedback'
import { Form } from '#design/forms'
import { SiteLayout } from '#design/layout'
import { PageHeader } from '#design/page-header'
import { Panel } from '#design/panels'
import { placed } from '#http/field-places'
import type { FormFault } from '#http/form-errors'
import { AppFields } from './app-fields.tsx'

/** Asks for the name and the website of a new app. */
export function NewAppPage(facts: {
  csrf_token: string
  form: { name?: string | undefined; url?: string | undefined }
  faults: FormFault[]
}): JSX.Element {
  const { csrf_token, form, faults } = facts
  return (
    <SiteLayout title="New app · Purser" has_error={faults.length > 0}>
      <div class="grid max-w-2xl grid-cols-1 gap-6">
        <PageHeader title="New app" back={{ label: 'Your apps', href: '/dashboard/' }}>
          Enter a name and a website to begin. The app is private until you publish it.
        </PageHeader>
        <ErrorSummary errors={faults.map(placed)} title="Not created. Check these fields" />
        <Panel>
          <Form action="/dashboard/apps/new/" csrf_token={csrf_token}>
            <AppFields
              form={form}
              faults={faults}
              website_hint="Where your app runs. Buyers can return only to pages on this domain, or to localhost while you develop."
            />
            <div>
              <Button kind="primary" pending="Creating…">
                Create app
              </Button>
            </div>
          </Form>
        </Panel>
      </div>
    </SiteLayout>
  )
}
