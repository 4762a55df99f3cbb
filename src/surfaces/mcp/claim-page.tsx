import type { JSX } from 'preact'
import { CopyField } from '#design/actions'
import { FocusLayout } from '#design/layout'
import { Heading } from '#design/panels'

/** The one time that a secret which an agent had made is shown, to the person who opens its address. */
export function ClaimPage({ client_secret }: { client_secret: string }): JSX.Element {
  return (
    <FocusLayout title="Your new secret · Purser">
      <Heading title="Your new secret" done>
        Copy it to your server now. This link no longer works. The previous secret no longer works.
      </Heading>
      <CopyField id="client_secret" label="Client secret" value={client_secret} />
    </FocusLayout>
  )
}
