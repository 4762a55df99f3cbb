import type { JSX } from 'preact'
import { Day } from '#design/money'
import { RecordCards } from '#design/records'
import type { AppState, StaffApp } from '#domain/apps'
import { AppBadges } from './app-labels.tsx'
import { type AdminListFacts, AdminListPage } from './list-page.tsx'

const STATES: Record<AppState, string> = {
  published: 'Published',
  waiting: 'Waiting for approval',
  refused: 'Refused',
  suspended: 'Suspended',
  archived: 'Archived',
}

/** The apps of all sellers, with a search. */
export function AppsPage(facts: AdminListFacts<AppState, StaffApp>): JSX.Element {
  return (
    <AdminListPage
      {...facts}
      list="apps"
      title="Apps"
      intro="Apps of all sellers, newest first."
      hint="Part of the name, or the full slug or ID"
      nothing="Search by another name, slug or ID."
      states={STATES}
    >
      <RecordCards
        records={facts.items.map((app) => ({
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
    </AdminListPage>
  )
}
