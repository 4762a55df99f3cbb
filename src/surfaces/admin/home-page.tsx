import type { JSX } from 'preact'
import { SiteLayout } from '#design/layout'
import { Day, formatMoney } from '#design/money'
import { EmptyState, Heading, Panel } from '#design/panels'
import { RecordCards } from '#design/records'
import type { StaffRole } from '#domain/identity'
import { AdminMenu } from '#http/admin-menu'
import type { Cents } from '#platform/money'
import { SearchForm } from './case-search-panel.tsx'
import { emptyListText } from './empty-list-text.ts'

/** An item that needs attention: how many there are, and where they are handled. */
export interface AttentionItem {
  title: string
  detail: string
  due_at?: Date
  amount?: Cents
  href: string
}

const ITEMS = [
  ['alarms', 'cases'],
  ['disputes', 'disputes'],
  ['failed refunds', 'refunds'],
  ['tax filings', 'taxes'],
  ['failed emails', 'emails'],
  ['locked accounts', 'accounts'],
] as const

/** The home of the admin area. */
export function HomePage(facts: {
  role: StaffRole
  searches: boolean
  csrf_token: string
  items: AttentionItem[]
}): JSX.Element {
  const { items } = facts
  return (
    <SiteLayout title="Admin · Purser">
      <div class="grid grid-cols-1 gap-6">
        <Heading title="Admin">What needs attention now.</Heading>
        <AdminMenu current="home" role={facts.role} />
      </div>
      {items.length === 0 ? (
        <EmptyState title="Nothing needs attention">{emptyListText(facts.role, ITEMS)}</EmptyState>
      ) : (
        <RecordCards
          records={items.map((item) => ({
            key: item.href,
            href: item.href,
            title: item.title,
            details: [<Detail {...item} />],
          }))}
        />
      )}
      {facts.searches && (
        <Panel title="Search">
          <SearchForm query="" csrf_token={facts.csrf_token} />
        </Panel>
      )}
    </SiteLayout>
  )
}

function Detail({ detail, due_at, amount }: AttentionItem): JSX.Element {
  return (
    <>
      {detail}
      {due_at && (
        <>
          {' '}
          <Day date={due_at} />
        </>
      )}
      {amount !== undefined && ` ${formatMoney(amount)}`}
    </>
  )
}
