import type { JSX } from 'preact'
import { useContext } from 'preact/hooks'
import { Button, TextLink } from '#design/actions'
import { Badge, StatusBadge } from '#design/feedback'
import { CsrfField, Field } from '#design/forms'
import { ViewedAs } from '#design/menu'
import { formatMoney } from '#design/money'
import { Panel } from '#design/panels'
import { recordDescription, recordIds } from '#design/records'
import { type FoundLicense, invoiceNumber } from '#domain/billing'
import { isPermitted, maySignOut, type StaffRole } from '#domain/identity'
import { counted } from '#platform/text'
import type { FoundAccount, FoundByStaff } from './case-search.ts'
import { type FilledForm, StaffAction } from './staff-action.tsx'

/** The search by ID or email, and the account and licenses that it found. */
export function CaseSearch(facts: {
  role: StaffRole
  csrf_token: string
  query: string
  found: FoundByStaff | undefined
  filled: FilledForm | undefined
}): JSX.Element {
  const { query, found, role } = facts
  return (
    <Panel title="Search">
      <SearchForm query={query} csrf_token={facts.csrf_token} />
      {found?.account && <AccountFound {...facts} account={found.account} />}
      {found?.licenses.length === 0 && (
        <p class="text-sm text-muted">
          {found.account
            ? 'This account has no licenses.'
            : 'No match. Search by full ID, email or license key.'}
        </p>
      )}
      {found && found.licenses.length > 0 && (
        <ul class="divide-y divide-base-300 border-y border-base-300">
          {found.licenses.map((license) => (
            <LicenseFound
              key={license.license_id}
              {...facts}
              license={license}
              may_suspend={isPermitted(role, 'licenses')}
            />
          ))}
        </ul>
      )}
      {found?.has_more && (
        <p class="text-sm text-muted">
          Only the latest {found.licenses.length} licenses are shown. Find an earlier one by its ID,
          or by an order or invoice.
        </p>
      )}
    </Panel>
  )
}

/**
 * Searches by ID, email or license key, and shows the result among the cases. Staff who are viewing
 * a seller's pages can post no form, so theirs is in the address (decision 103).
 */
export function SearchForm({
  query,
  csrf_token,
}: {
  query: string
  csrf_token: string
}): JSX.Element {
  const isViewing = useContext(ViewedAs) !== undefined
  return (
    <form
      method={isViewing ? 'get' : 'post'}
      action={isViewing ? '/admin/cases/' : '/admin/cases/search'}
      class="flex flex-wrap items-end gap-3"
    >
      {!isViewing && <CsrfField token={csrf_token} />}
      <div class="min-w-0 grow basis-64">
        <Field
          label="Email, order, invoice or license"
          name="q"
          type="search"
          value={query}
          autocomplete="off"
          spellcheck={false}
        />
      </div>
      <Button kind="primary">Search</Button>
    </form>
  )
}

function AccountFound(facts: {
  role: StaffRole
  account: FoundAccount
  csrf_token: string
  query: string
  filled: FilledForm | undefined
}): JSX.Element {
  const { role, account, query, csrf_token, filled } = facts
  const { id, email, sessions } = account
  const ids = recordIds(id)
  return (
    <div class="grid gap-3 border-t border-base-300 pt-4">
      <div class="flex flex-wrap items-center gap-3">
        <span id={ids.title} class="font-semibold">
          {email}
        </span>
        {account.is_locked && <Badge tone="warn">Locked</Badge>}
        <span id={ids.details} class="text-sm text-muted">
          {sessions === 0 ? 'Not signed in' : `Signed in on ${counted(sessions, 'browser')}`}
        </span>
      </div>
      {maySignOut(role, account) && (
        <StaffAction
          csrf_token={csrf_token}
          path="sign-out"
          fields={{ user_id: id, q: query }}
          id={`sign-out-${id}`}
          label="Sign out everywhere"
          describedby={recordDescription(id)}
          filled={filled}
        />
      )}
    </div>
  )
}

function LicenseFound(facts: {
  license: FoundLicense
  may_suspend: boolean
  csrf_token: string
  query: string
  filled: FilledForm | undefined
}): JSX.Element {
  const { license, csrf_token, query, filled } = facts
  const { license_id, status, invoices } = license
  const isSuspended = license.paused_for === 'staff'
  const maySuspend = facts.may_suspend && status !== 'canceled' && !isSuspended
  return (
    <li class="grid gap-3 py-4">
      <div class="flex flex-wrap items-center gap-3">
        <span id={recordIds(license_id).title} class="font-semibold">
          {license.app_name} {license.product_name}
        </span>
        <StatusBadge status={status} />
        <span id={recordIds(license_id).details} class="text-sm text-muted">
          {license.email}
        </span>
      </div>
      <ul class="flex flex-wrap gap-x-5 gap-y-1 text-sm">
        {invoices.map((invoice) => (
          <li key={invoice.id}>
            <TextLink href={`/admin/sales/${invoice.id}/`}>
              {invoiceNumber(invoice.number)}
            </TextLink>{' '}
            {formatMoney(invoice.amount)}
          </li>
        ))}
      </ul>
      {maySuspend && (
        <StaffAction
          csrf_token={csrf_token}
          path="suspend"
          fields={{ license_id, q: query }}
          id={`suspend-${license_id}`}
          label="Pause"
          describedby={recordDescription(license_id)}
          filled={filled}
        />
      )}
    </li>
  )
}
