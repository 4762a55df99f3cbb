import type { JSX } from 'preact'
import type { FiguresFacts } from './figures.ts'
import { Figures } from './figures-panels.tsx'
import { SellerMenuPage, type SellerReader } from './seller-menu.tsx'

/** The figures of all apps of a seller. */
export function SellerOverviewPage(
  facts: FiguresFacts &
    SellerReader & {
      notice: string | undefined
      seller_name: string
    },
): JSX.Element {
  return (
    <SellerMenuPage
      {...facts}
      current="overview"
      title="Overview"
      intro={`All apps of ${facts.seller_name}.`}
    >
      <div class="grid grid-cols-1 gap-6">
        <Figures {...facts} />
      </div>
    </SellerMenuPage>
  )
}
