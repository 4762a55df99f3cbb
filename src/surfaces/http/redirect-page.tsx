import type { JSX } from 'preact'
import { Button } from '#design/actions'
import { FocusLayout } from '#design/layout'
import { Heading } from '#design/panels'

/** Says what was done, until the browser opens the next address. */
export function RedirectPage({ title, address }: { title: string; address: string }): JSX.Element {
  return (
    <FocusLayout title={`${title} · Purser`}>
      <Heading title={title} done>
        You will be redirected.
      </Heading>
      <Button kind="primary" href={address} icon_after="arrow-right" wide>
        Continue
      </Button>
    </FocusLayout>
  )
}
