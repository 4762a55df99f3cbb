import type { JSX } from 'preact'
import { Button, SearchActions } from '#design/actions'
import { Field, FieldRow, Form, HiddenFields } from '#design/forms'
import { Moment } from '#design/money'
import { Pager } from '#design/navigation'
import { EmptyState, Panel, PhoneFold } from '#design/panels'
import type { StaffRole } from '#domain/identity'
import { type AuditRow, actionTitle, CHANNEL_LABELS } from '#http/audit-rows'
import type { AuditSearch } from './audit-search.ts'
import { AdminPage } from './layout.tsx'

interface AuditFacts {
  csrf_token: string
  role: StaffRole
  search: AuditSearch
  entries: AuditRow[]
  newest: string | undefined
  older: string | undefined
}

/** The audit log, with a search, its result, and the export of all of it. */
export function AuditPage(facts: AuditFacts): JSX.Element {
  const { entries } = facts
  return (
    <AdminPage
      {...facts}
      current="audit"
      title="Audit log"
      intro="Who did what, and when. Entries are never changed."
    >
      <Search {...facts} />
      {entries.length === 0 ? (
        <EmptyState title="No entries">Search by full email or ID, and by full action.</EmptyState>
      ) : (
        <ul class="divide-y divide-base-300 rounded-box border border-base-300 bg-base-100">
          {entries.map((entry) => (
            <Entry key={entry.id} entry={entry} />
          ))}
        </ul>
      )}
      <Pager newest={facts.newest} older={facts.older} />
    </AdminPage>
  )
}

function Search({ search, csrf_token }: AuditFacts): JSX.Element {
  const isSearched = Object.values(search).some((value) => value !== '')
  const common = { in_search: true, autocomplete: 'off', spellcheck: false } as const
  return (
    <Panel title="Search" aside={<Export search={search} csrf_token={csrf_token} />}>
      <form method="get" action="/admin/audit/">
        <PhoneFold label="Filters" open={isSearched}>
          <div class="grid gap-4 sm:grid-cols-2 lg:grid-cols-4">
            <Field label="Actor" name="actor" value={search.actor} {...common} hint="Email or ID" />
            <Field
              label="Action"
              name="action"
              value={search.action}
              {...common}
              hint="Such as staff.added"
            />
            <Field
              label="Subject"
              name="subject"
              value={search.subject}
              {...common}
              hint="Email or ID"
            />
            <Field label="Seller" name="seller" value={search.seller} {...common} hint="ID" />
          </div>
          <FieldRow wide>
            <Field label="From" name="from" type="date" value={search.from} {...common} />
            <Field label="To" name="to" type="date" value={search.to} {...common} />
          </FieldRow>
          <SearchActions path="/admin/audit/" search={search} />
        </PhoneFold>
      </form>
    </Panel>
  )
}

/** Exports everything that the search finds. */
function Export({ search, csrf_token }: Pick<AuditFacts, 'search' | 'csrf_token'>): JSX.Element {
  return (
    <Form action="/admin/audit/export" csrf_token={csrf_token}>
      <HiddenFields values={search} />
      <Button pending="Exporting…">Export CSV</Button>
    </Form>
  )
}

function Entry({ entry }: { entry: AuditRow }): JSX.Element {
  const details = Object.entries(entry.detail)
  return (
    <li class="grid gap-1 p-5 text-sm">
      <div class="flex flex-wrap items-baseline justify-between gap-x-4">
        <span class="flex flex-wrap items-baseline gap-x-3">
          <span class="font-semibold">{actionTitle(entry.action)}</span>
          <code class="text-xs text-muted">
            <Filter name="action" value={entry.action} />
          </code>
        </span>
        <span class="text-muted">
          <Moment at={entry.at} />
        </span>
      </div>
      <p class="flex flex-wrap gap-x-4">
        <span>
          By <Filter name="actor" value={entry.email ?? entry.actor} />,{' '}
          {CHANNEL_LABELS[entry.channel]}
        </span>
        <span>
          On <Filter name="subject" value={entry.subject} />
        </span>
      </p>
      {details.length > 0 && (
        <p class="font-mono text-xs break-all text-muted">
          {details.map(([name, value]) => `${name}: ${textOf(value)}`).join(', ')}
        </p>
      )}
      {entry.address && (
        <p class="text-xs wrap-anywhere text-muted">
          {entry.address}
          {entry.agent && `, ${entry.agent}`}
        </p>
      )}
    </li>
  )
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}

/** A value that searches for itself. */
function Filter({ name, value }: { name: keyof AuditSearch; value: string }): JSX.Element {
  return (
    <a
      class="underline-offset-4 break-all hover:underline"
      href={`/admin/audit/?${new URLSearchParams({ [name]: value })}`}
    >
      {value}
    </a>
  )
}
