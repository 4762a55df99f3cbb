import type { ComponentChildren, ComponentProps, JSX } from 'preact'
import { Alert } from '#design/feedback'
import { SiteLayout } from '#design/layout'
import { type MenuPage, PermittedNav } from '#design/navigation'
import { Heading } from '#design/panels'
import { isAllowed, type MemberRole, type SellerPermission } from '#domain/sellers'
import { AskForReview } from '#http/review-link'

const PAGES = [
  { page: 'apps', label: 'Apps', href: '/dashboard/', needs: 'view' },
  { page: 'overview', label: 'Overview', href: '/dashboard/overview/', needs: 'view' },
  { page: 'team', label: 'Team', href: '/dashboard/team/', needs: 'view' },
  { page: 'activity', label: 'Activity', href: '/dashboard/activity/', needs: 'team' },
  { page: 'details', label: 'Details', href: '/dashboard/seller/', needs: 'account' },
  { page: 'export', label: 'Export', href: '/dashboard/export/', needs: 'export_all' },
  { page: 'emails', label: 'Emails', href: '/dashboard/emails/', needs: 'view' },
  { page: 'terms', label: 'Terms', href: '/dashboard/terms/', needs: 'view' },
] as const satisfies MenuPage<SellerPermission>[]

/** The menu of a seller's own pages as a role sees it, with the current page marked. */
export function SellerMenu(facts: {
  current: (typeof PAGES)[number]['page']
  role: MemberRole
}): JSX.Element {
  const { current, role } = facts
  return (
    <PermittedNav
      label="Seller"
      pages={PAGES}
      current={current}
      isPermitted={(needs) => isAllowed(role, needs)}
    />
  )
}

/** The member who reads a page of a seller's menu. */
export interface SellerReader {
  role: MemberRole
  /** Whether staff suspend the seller. */
  is_suspended: boolean
}

/** A page of a seller's menu: its heading, and the menu under it. */
export function SellerMenuPage(
  facts: ComponentProps<typeof SellerMenu> &
    SellerReader & {
      title: string
      intro: ComponentChildren
      has_error?: boolean
      /** The banner about the seller's own time. */
      notice?: string | undefined
      children: ComponentChildren
    },
): JSX.Element {
  const { current, role, title, intro, has_error = false, notice } = facts
  return (
    <SiteLayout title={`${title} · Purser`} has_error={has_error} notice={notice}>
      <div class="grid grid-cols-1 gap-6">
        <Heading title={title}>{intro}</Heading>
        <SellerMenu current={current} role={role} />
      </div>
      {facts.is_suspended && <SuspendedNote name="This seller" />}
      {facts.children}
    </SiteLayout>
  )
}

/** Says what a suspension means for the members of a seller. */
export function SuspendedNote({ name }: { name: string }): JSX.Element {
  return (
    <Alert tone="warning" title={`${name} is suspended`}>
      None of its apps is for sale, and nothing but its bank account can be changed here. Its data
      can be exported. We emailed the reason to the owner and the admins. <AskForReview />
    </Alert>
  )
}
