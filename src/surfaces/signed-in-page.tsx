import type { JSX } from 'preact'
import { Button } from '#design/actions'
import { FocusLayout } from '#design/layout'
import { Heading } from '#design/panels'

/** After signing in, for the blink until the browser goes on by itself. */
export function SignedInPage({ address }: { address: string }): JSX.Element {
  return (
    <FocusLayout title="You are signed in · Purser">
      <Heading title="You are signed in" done>
        This page goes on by itself.
      </Heading>
      <Button kind="primary" href={address} icon_after="arrow-right" wide>
        Go on
      </Button>
    </FocusLayout>
  )
}
