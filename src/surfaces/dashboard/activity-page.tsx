import type { JSX } from 'preact'
import { Moment } from '#design/money'
import { Pager } from '#design/navigation'
import { EmptyState, Panel } from '#design/panels'
import { RecordRows } from '#design/records'
import { type AuditRow, actionTitle, CHANNEL_LABELS } from '#http/audit-rows'
import { SellerMenuPage, type SellerReader } from './seller-menu.tsx'

/** An entry with the names of what it is about and of the member or app that acted. */
type ActivityEntry = AuditRow & { about: string; by: string | undefined }

/** What a seller's members, their agents, its apps and staff did, latest first. */
export function ActivityPage(
  facts: SellerReader & {
    legal_name: string
    entries: ActivityEntry[]
    newest: string | undefined
    older: string | undefined
  },
): JSX.Element {
  const { entries } = facts
  return (
    <SellerMenuPage
      {...facts}
      current="activity"
      title="Activity"
      intro={`What the members of ${facts.legal_name}, their agents, its apps and Purser staff did. Entries are never changed.`}
    >
      {entries.length === 0 ? (
        <EmptyState title="No activity yet">Changes and refunds appear here.</EmptyState>
      ) : (
        <Panel>
          <RecordRows
            records={entries.map((entry) => ({
              key: String(entry.id),
              title: actionTitle(entry.action),
              details: [entry.about, actorOf(entry), <Moment at={entry.at} />],
            }))}
          />
        </Panel>
      )}
      <Pager newest={facts.newest} older={facts.older} />
    </SellerMenuPage>
  )
}

/** Who acted, and how. Sellers learn that staff did, and not who. */
function actorOf({ channel, by }: ActivityEntry): string {
  if (channel === 'admin') return 'Purser staff'
  const gone = channel === 'api' ? 'A former app' : 'A deleted account'
  return `${by ?? gone}, ${CHANNEL_LABELS[channel]}`
}
