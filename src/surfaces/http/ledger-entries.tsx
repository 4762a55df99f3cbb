import type { JSX } from 'preact'
import { Day, Moment, Money } from '#design/money'
import { Panel } from '#design/panels'
import { RecordTable } from '#design/records'
import type { Entry } from '#domain/ledger'
import { sum, ZERO } from '#platform/money'
import { EVENT_LABELS, entryLabel } from './ledger-labels.ts'

/** Ledger entries with the balance after each; for all entries of an invoice, it ends at zero. */
export function LedgerEntries({
  entries,
  with_time = false,
}: {
  entries: readonly Entry[]
  with_time?: boolean
}): JSX.Element {
  let balance = ZERO
  const rows = entries.map((entry) => {
    balance = sum(balance, entry.amount)
    return {
      key: `${entry.transaction_id}-${entry.position}`,
      cells: [
        with_time ? <Moment at={entry.at} /> : <Day date={entry.at} />,
        EVENT_LABELS[entry.event],
        entryLabel(entry),
        <Money amount={entry.amount} />,
        <Money amount={balance} />,
      ],
    }
  })
  return (
    <Panel title="Ledger entries">
      <p class="text-sm text-muted">
        Amounts received are positive, and amounts allocated are negative. Each event sums to zero.
      </p>
      <RecordTable
        caption="Ledger entries"
        columns={[
          { label: with_time ? 'Time' : 'Date' },
          { label: 'Event' },
          { label: 'Description' },
          { label: 'Amount', numeric: true },
          { label: 'Balance', numeric: true },
        ]}
        rows={rows}
      />
      <p class="flex justify-between border-t border-base-300 pt-3 text-sm font-semibold">
        <span>Final balance</span>
        <Money amount={balance} />
      </p>
    </Panel>
  )
}
