import type { JSX } from 'preact'
import { Badge } from '#design/feedback'
import type { StaffApp } from '#domain/apps'

/** Whether an app is for sale, and why not. */
export function AppBadges({ app }: { app: StaffApp }): JSX.Element {
  return (
    <span class="inline-flex flex-wrap gap-2">
      {app.is_suspended && <Badge tone="bad">Suspended</Badge>}
      {app.archived_at ? (
        <Badge>Archived</Badge>
      ) : app.is_published ? (
        <Badge tone="good">Published</Badge>
      ) : (
        <Badge>Not published</Badge>
      )}
      {!app.external_sales_enabled && <Badge tone="warn">Not approved</Badge>}
    </span>
  )
}
