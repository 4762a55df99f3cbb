import type { ComponentChildren, JSX } from 'preact'
import { Actions, Button } from '#design/actions'
import { formatShortDay } from '#design/money'
import { LinkRow, Pager, SubNav } from '#design/navigation'
import { PageHeader } from '#design/page-header'
import { EmptyState, Panel, Totals } from '#design/panels'
import { RecordTable } from '#design/records'
import { isInDunning, type LicenseStatus } from '#domain/licensing'
import { appMenu } from '#http/app-menu'
import type { ListFacts } from './app-list.ts'
import { SalesLayout } from './layout.tsx'
import { type Choice, type ListSearch, SearchForm } from './search-form.tsx'

const LISTS = { customers: 'Customers', subscriptions: 'Subscriptions', licenses: 'Licenses' }

/** The page of a list about an app's customers: search, totals and table. */
export function AppListPage<Row>(
  facts: ListFacts<Row, unknown, ListSearch> & {
    list: keyof typeof LISTS
    intro: string
    choices: Choice[]
    /** The text of an empty list. */
    nothing: string
    sums: { term: string; detail: ComponentChildren }[]
    order: string
    columns: { label: string; numeric?: boolean }[]
    recordOf(row: Row): { key: string; cells: ComponentChildren[] }
  },
): JSX.Element {
  const { list, base, rows, search } = facts
  const label = LISTS[list]
  const isFiltered = Object.values(search).some((value) => value !== '')
  return (
    <SalesLayout
      {...facts}
      title={`${label} · ${facts.app_name}`}
      header={
        <div class="grid grid-cols-1 gap-6">
          <PageHeader
            title={`${facts.app_name}: ${label.toLowerCase()}`}
            aside={
              facts.give_path &&
              list !== 'subscriptions' && (
                <Actions>
                  {facts.import_path && <Button href={facts.import_path}>Import</Button>}
                  <Button href={facts.give_path}>Give a plan</Button>
                </Actions>
              )
            }
          >
            {facts.intro}
          </PageHeader>
          <div class="grid grid-cols-1 gap-1">
            <SubNav label={facts.app_name} links={appMenu(facts.slug, 'customers', facts)} />
            <ListLinks base={base} current={list} />
          </div>
        </div>
      }
    >
      <SearchForm {...facts} path={`${base}/${list}/`} />
      {rows.length === 0 ? (
        <Nothing {...facts} is_filtered={isFiltered} label={label.toLowerCase()} />
      ) : (
        <Panel>
          <Totals items={facts.sums} />
          <RecordTable
            caption={`${label}, ${facts.order} first`}
            columns={facts.columns}
            rows={rows.map(facts.recordOf)}
          />
        </Panel>
      )}
      <Pager newest={facts.newest} older={facts.older} />
    </SalesLayout>
  )
}

function ListLinks({ base, current }: { base: string; current: string }): JSX.Element {
  const links = Object.entries(LISTS).map(([name, label]) => {
    return { label, href: `${base}/${name}/`, current: name === current }
  })
  return <LinkRow label="Lists of customers" links={links} />
}

function Nothing(facts: {
  is_filtered: boolean
  base: string
  list: string
  label: string
  nothing: string
}): JSX.Element {
  const { is_filtered, label } = facts
  if (!is_filtered) return <EmptyState title={`No ${label} yet`}>{facts.nothing}</EmptyState>
  return (
    <EmptyState
      title={`No matching ${label}`}
      action={<Button href={`${facts.base}/${facts.list}/`}>Show all</Button>}
    >
      Nothing matches this search.
    </EmptyState>
  )
}

/** When a license renews or ends; nothing for one without an end, or while it is paused. */
export function renewalText(facts: {
  period_end: Date | null
  auto_renew: boolean
  status: LicenseStatus
}): string {
  const { period_end, auto_renew, status } = facts
  if (period_end === null || status === 'paused') return ''
  if (isInDunning(status)) return `Due since ${formatShortDay(period_end)}`
  return auto_renew ? formatShortDay(period_end) : `Ends ${formatShortDay(period_end)}`
}
