import type { JSX } from 'preact'
import { Button } from '#design/actions'
import { FocusLayout } from '#design/layout'
import { Heading } from '#design/panels'
import { anyOf } from '#platform/text'

/** Says that a member's role does not include a page, and which roles do. */
export function RolePage({
  role,
  legal_name,
  roles,
}: {
  role: string
  legal_name: string
  roles: readonly string[]
}): JSX.Element {
  // No one can give a member the role of the owner, whose actions these are.
  const isOwners = roles.length === 1
  const allowed = anyOf(roles)
  return (
    <FocusLayout title="Your role does not include this · Purser">
      <Heading title="Your role does not include this">
        Your role at {legal_name} is {role}.{' '}
        {isOwners
          ? `Only the ${allowed} of ${legal_name} can do this.`
          : `This requires the role ${allowed}. Ask the owner or an admin of ${legal_name} to change your role.`}
      </Heading>
      <Button href="/dashboard/" kind="primary" wide>
        Go to your apps
      </Button>
    </FocusLayout>
  )
}
