import type { ComponentChildren, JSX } from 'preact'
import type { Link } from '#design/layout'
import { type MenuPage, PermittedNav } from '#design/navigation'
import { PageHeader } from '#design/page-header'
import { isPermitted, type StaffPermission, type StaffRole } from '#domain/identity'

const PAGES = [
  { page: 'home', label: 'Home', href: '/admin/', needs: 'home' },
  { page: 'cases', label: 'Cases', href: '/admin/cases/', needs: 'cases' },
  { page: 'sellers', label: 'Sellers', href: '/admin/sellers/', needs: 'sellers' },
  { page: 'apps', label: 'Apps', href: '/admin/apps/', needs: 'sellers' },
  { page: 'payouts', label: 'Payouts', href: '/admin/payouts/', needs: 'payouts' },
  { page: 'emails', label: 'Emails', href: '/admin/emails/', needs: 'emails' },
  { page: 'approvals', label: 'Approvals', href: '/admin/approvals/', needs: 'approvals' },
  { page: 'tax', label: 'Sales tax', href: '/admin/tax/', needs: 'taxes' },
  { page: 'checks', label: 'Checks', href: '/admin/checks/', needs: 'checks' },
  { page: 'jobs', label: 'Jobs', href: '/admin/jobs/', needs: 'jobs' },
  { page: 'staff', label: 'Staff', href: '/admin/staff/', needs: 'staff' },
  { page: 'audit', label: 'Audit log', href: '/admin/audit/', needs: 'audit' },
] as const satisfies MenuPage<StaffPermission>[]

interface AdminMenuFacts {
  current: (typeof PAGES)[number]['page']
  role: StaffRole
}

/** The menu of the admin area as a role sees it, with the current page marked. */
export function AdminMenu(facts: AdminMenuFacts): JSX.Element {
  const { current, role } = facts
  return (
    <PermittedNav
      label="Admin"
      pages={PAGES}
      current={current}
      isPermitted={(needs) => isPermitted(role, needs)}
    />
  )
}

/** The top of a page below a list: the way back to it, and the menu with the list marked. */
export function RecordHeader(
  facts: AdminMenuFacts & {
    title: string
    back: Link
    aside?: ComponentChildren
    children: ComponentChildren
  },
): JSX.Element {
  const { current, role, ...header } = facts
  return (
    <div class="grid grid-cols-1 gap-6">
      <PageHeader {...header} />
      <AdminMenu current={current} role={role} />
    </div>
  )
}
