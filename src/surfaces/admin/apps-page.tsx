import type { JSX } from 'preact'
import { SiteLayout } from '#design/layout'
import { Day } from '#design/money'
import { Pager } from '#design/navigation'
import { EmptyState, Heading, RecordCards } from '#design/panels'
import type { AppState, StaffApp } from '#domain/apps'
import type { StaffRole } from '#domain/identity'
import { AppBadges } from './app-labels.tsx'
import { AdminMenu } from './menu.tsx'
import { SearchPanel } from './search-panel.tsx'

const STATES: Record<AppState, string> = {
  published: 'Published',
  waiting: 'Waiting for approval',
  refused: 'Refused',
  suspended: 'Suspended',
  archived: 'Archived',
}

/** The apps of all sellers, with a search. */
export function AppsPage(facts: {
  role: StaffRole
  q: string
  state: AppState | undefined
  apps: StaffApp[]
  newest: string | undefined
  older: string | undefined
}): JSX.Element {
  const { apps } = facts
  return (
    <SiteLayout title="Apps · Admin · Purser">
      <div class="grid grid-cols-1 gap-6">
        <Heading title="Apps">The apps of all sellers. The newest come first.</Heading>
        <AdminMenu current="apps" role={facts.role} />
      </div>
      <SearchPanel
        path="/admin/apps/"
        q={facts.q}
        hint="A part of the name, or the full slug or ID"
        state={facts.state}
        states={STATES}
      />
      {apps.length === 0 ? (
        <EmptyState title="No apps found">Search by another name, slug or ID.</EmptyState>
      ) : (
        <RecordCards
          records={apps.map((app) => ({
            key: app.id,
            href: `/admin/apps/${app.id}/`,
            title: app.name,
            details: [
              app.legal_name,
              <>
                Created <Day date={app.created_at} />
              </>,
            ],
            aside: <AppBadges app={app} />,
          }))}
        />
      )}
      <Pager newest={facts.newest} older={facts.older} />
    </SiteLayout>
  )
}
