import type { JSX } from 'preact'
import { CopyField } from '#design/copy'
import { FocusLayout } from '#design/layout'
import { Heading } from '#design/panels'

/** Shows a client secret that an agent requested, once. */
export function ClaimPage({ client_secret }: { client_secret: string }): JSX.Element {
  return (
    <FocusLayout title="Your new secret · Purser">
      <Heading title="Your new secret" done>
        Copy it to your server now. This link no longer works. Any previous secret has stopped
        working.
      </Heading>
      <CopyField id="client_secret" label="Client secret" value={client_secret} />
    </FocusLayout>
  )
}

/** What previews of a claim link show, in a chat or an email. */
export function ClaimPreviewPage(): JSX.Element {
  return (
    <FocusLayout title="One-time link · Purser">
      <Heading title="One-time link">
        A link such as this one shows a client secret once. Previews do not use it up.
      </Heading>
    </FocusLayout>
  )
}
