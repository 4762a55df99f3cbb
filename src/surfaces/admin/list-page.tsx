import type { ComponentChildren, JSX } from 'preact'
import { Pager } from '#design/navigation'
import { EmptyState } from '#design/panels'
import type { StaffRole } from '#domain/identity'
import { AdminPage } from './layout.tsx'
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
  const { list } = facts
  return (
    <AdminPage {...facts} current={list}>
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
    </AdminPage>
  )
}
