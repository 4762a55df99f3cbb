import type { ComponentProps, JSX } from 'preact'
import { PageHeader } from '#design/page-header'
import type { StaffRole } from '#domain/identity'
import { RecordHeader } from '#http/admin-menu'

/**
 * The top of a page about a sale. Staff have the menu of the admin area below it, with Cases
 * marked, where they search for sales.
 */
export function SaleHeader(
  facts: Omit<ComponentProps<typeof RecordHeader>, 'current' | 'role'> & {
    role: StaffRole | undefined
  },
): JSX.Element {
  const { role, ...header } = facts
  return role ? (
    <RecordHeader current="cases" role={role} {...header} />
  ) : (
    <PageHeader {...header} />
  )
}
