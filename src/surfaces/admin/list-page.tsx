import type { ComponentChildren, JSX } from 'preact'
import { SiteLayout } from '#design/layout'
import { Pager } from '#design/navigation'
import { EmptyState, Heading } from '#design/panels'
import type { StaffRole } from '#domain/identity'
import { AdminMenu } from '#http/admin-menu'
import type { SearchedList } from './paging.ts'
import { SearchPanel } from './search-panel.tsx'

/** What the page of a list shows. */
export type AdminListFacts<State, Item> = SearchedList<State, Item> & { role: StaffRole }

/** The page of a list that has a search and a filter by state. */
export function AdminListPage<State extends string>(
  facts: AdminListFacts<State, unknown> & {
    list: 'sellers' | 'apps'
    title: string
    intro: string
    /** What the search covers, in a few words. */
    hint: string
    /** What to do where nothing is found. */
    nothing: string
    states: Record<State, string>
    children: ComponentChildren
  },
): JSX.Element {
  const { list, title, role } = facts
  return (
    <SiteLayout title={`${title} · Admin · Purser`}>
      <div class="grid grid-cols-1 gap-6">
        <Heading title={title}>{facts.intro}</Heading>
        <AdminMenu current={list} role={role} />
      </div>
      <SearchPanel
        path={`/admin/${list}/`}
        q={facts.q}
        hint={facts.hint}
        state={facts.state}
        states={facts.states}
      />
      {facts.items.length === 0 ? (
        <EmptyState title={`No ${list} found`}>{facts.nothing}</EmptyState>
      ) : (
        facts.children
      )}
      <Pager newest={facts.newest} older={facts.older} />
    </SiteLayout>
  )
}
