import type { JSX } from 'preact'
import { Button } from '#design/actions'
import { FocusLayout } from '#design/layout'
import { Heading } from '#design/panels'
import type { StaffRole } from '#domain/identity'
import { anyOf } from '#platform/text'

/** Names the roles that have access to a page, to staff without them. */
export function StaffRolePage({
  role,
  needed,
}: {
  role: StaffRole
  needed: StaffRole[]
}): JSX.Element {
  return (
    <FocusLayout title="Your role has no access · Purser">
      <Heading title="Your role has no access">
        This requires the role {anyOf(needed)}. Your role is {role}. An admin can change it.
      </Heading>
      <Button href="/admin/" wide>
        Go to Admin
      </Button>
    </FocusLayout>
  )
}
