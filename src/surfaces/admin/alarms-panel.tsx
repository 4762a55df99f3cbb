import type { JSX } from 'preact'
import { TextLink } from '#design/actions'
import { Day } from '#design/money'
import type { Alarm, AlarmKind } from '#platform/alarms'
import type { CaseList } from './case-lists.ts'
import { Entries, Entry, type Filled } from './staff-action.tsx'

/** Open alarms, each with a form to resolve it. */
export function Alarms(facts: {
  list: CaseList<Alarm>
  csrf_token: string
  filled: Filled | undefined
}): JSX.Element {
  const { list, csrf_token, filled } = facts
  return (
    <Entries id="alarms" title="Alarms" list={list}>
      {list.items.map(({ id, kind, message, href, count, last_at }) => (
        <Entry
          key={id}
          title={TITLES[kind]}
          details={
            <>
              <span class="block text-base-content">{message}</span>
              <Day date={last_at} />
              {count > 1 && `, ${count} times`}
              {href && (
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

const TITLES: Record<AlarmKind, string> = {
  balance_short: 'Balance too low for a payout',
  disowned_purchase: 'Disowned purchase without a refund',
  dispute_appeal: 'Dispute decided on appeal',
  dispute_in_excess: 'Dispute paid a buyer too much',
  dispute_reversed: 'Dispute decided again after an appeal',
  email_unwritten: 'Email without a template',
  ledger_differs: 'Differences in the ledger',
  payee_left: 'Payout of a deleted account returned',
  processor_notice: 'Notice from the processor',
  processor_refused: 'Request refused by the processor',
  refund_in_excess: 'Refund paid a buyer too much',
  refund_made_outside: 'Refund made at the processor',
  restored_unknown: 'Record missing from the restored database',
}
