import type { JSX } from 'preact'
import { TextLink } from '#design/actions'
import { Day } from '#design/money'
import { isPermitted, type StaffPermission, type StaffRole } from '#domain/identity'
import type { Alarm, AlarmKind } from '#platform/alarms'
import type { CaseList } from './case-lists.ts'
import { Entries, Entry, type FilledForm } from './staff-action.tsx'

/** Open alarms, each with a link for those who may open its page, and a form to resolve it. */
export function Alarms(facts: {
  role: StaffRole
  list: CaseList<Alarm>
  csrf_token: string
  filled: FilledForm | undefined
}): JSX.Element {
  const { role, list, csrf_token, filled } = facts
  return (
    <Entries id="alarms" title="Alarms" list={list}>
      {list.items.map(({ id, kind, message, href, count, last_at }) => (
        <Entry
          key={id}
          title={describe(kind).title}
          details={
            <>
              <span class="block text-base-content">{message}</span>
              <Day date={last_at} />
              {count > 1 && `, ${count} times`}
              {href && isPermitted(role, describe(kind).needs) && (
                <>
                  {' · '}
                  <TextLink href={href}>Open</TextLink>
                </>
              )}
            </>
          }
          csrf_token={csrf_token}
          path="resolve-alarm"
          fields={{ alarm_id: id, ...list.place }}
          id={`resolve-${id}`}
          label="Resolve"
          filled={filled}
        />
      ))}
    </Entries>
  )
}

/** How a kind of alarms is shown. */
interface Described {
  title: string
  /** What the page needs that they link to. */
  needs: StaffPermission
}

const KINDS: Record<AlarmKind, Described> = {
  balance_short: { title: 'Balance too low for a payout', needs: 'payouts' },
  disowned_purchase: { title: 'Disowned purchase without a refund', needs: 'sales' },
  dispute_appeal: { title: 'Dispute decided on appeal', needs: 'sales' },
  dispute_in_excess: { title: 'Dispute paid a buyer too much', needs: 'sales' },
  dispute_reversed: { title: 'Dispute decided again after an appeal', needs: 'sales' },
  email_unwritten: { title: 'Email without a template', needs: 'emails' },
  ledger_differs: { title: 'Differences in the ledger', needs: 'checks' },
  payee_left: { title: 'Payout of a deleted account failed or returned', needs: 'payouts' },
  processor_notice: { title: 'Notice from the processor', needs: 'sales' },
  processor_refused: { title: 'Request refused by the processor', needs: 'sales' },
  refund_in_excess: { title: 'Refund paid a buyer too much', needs: 'sales' },
  refund_made_outside: { title: 'Refund made at the processor', needs: 'sales' },
  restored_unknown: { title: 'Record missing from the restored database', needs: 'sales' },
}

/** A newer release on the same database may raise what this one does not know. */
const UNKNOWN: Described = { title: 'Alarm of a newer release', needs: 'staff' }

function describe(kind: AlarmKind): Described {
  return (KINDS as Partial<typeof KINDS>)[kind] ?? UNKNOWN
}
