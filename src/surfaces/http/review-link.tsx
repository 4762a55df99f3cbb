import type { JSX } from 'preact'
import { TextLink } from '#design/actions'

/** How a seller objects to a decision of staff that was emailed to it. */
export function AskForReview(): JSX.Element {
  return (
    <>
      To ask for a review, reply to that email or <TextLink href="/help/">contact support</TextLink>
      .
    </>
  )
}
