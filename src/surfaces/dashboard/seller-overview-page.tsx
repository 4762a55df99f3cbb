import type { JSX } from 'preact'
import { SiteLayout } from '#design/layout'
import { Heading } from '#design/panels'
import type { MemberRole } from '#domain/sellers'
import type { FiguresFacts } from './figures.ts'
import { Figures } from './figures-panels.tsx'
import { SellerMenu } from './seller-menu.tsx'

/** The figures of all apps of a seller. */
export function SellerOverviewPage(
  facts: FiguresFacts & {
    notice: string | undefined
    seller_name: string
    /** The reader's role. */
    role: MemberRole
  },
): JSX.Element {
  return (
    <SiteLayout title="Overview · Purser" notice={facts.notice}>
      <div class="grid grid-cols-1 gap-6">
        <Heading title="Overview">All apps of {facts.seller_name}.</Heading>
        <SellerMenu current="overview" role={facts.role} />
      </div>
      <div class="grid grid-cols-1 gap-6">
        <Figures {...facts} />
      </div>
    </SiteLayout>
  )
}
