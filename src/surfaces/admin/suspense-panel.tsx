import type { JSX } from 'preact'
import { SelectField } from '#design/forms'
import { Day, Money } from '#design/money'
import type { SuspenseAccount, UnexplainedMovement } from '#domain/ledger'
import type { CaseList } from './case-lists.ts'
import { Entries, Entry, type FilledForm, filledFor } from './staff-action.tsx'

/** What staff book an unexplained movement as. */
const ACCOUNTS: Record<SuspenseAccount, string> = {
  bank: 'Moved to or from the bank account',
  processing_fees: 'A fee of the processor, or its return',
  losses: 'A loss or a gain of the operator',
}

function faultOf({ is_refused, choice = '' }: FilledForm): string | undefined {
  return is_refused && !Object.hasOwn(ACCOUNTS, choice) ? 'Choose what it was.' : undefined
}

/** Movements at the processor that no record explains, each with a form to book it. */
export function Unexplained(facts: {
  list: CaseList<UnexplainedMovement>
  csrf_token: string
  filled: FilledForm | undefined
}): JSX.Element {
  const path = 'book-suspense'
  const options = Object.entries(ACCOUNTS).map(([value, label]) => ({ value, label }))
  return (
    <Entries id="suspense" title="Unexplained movements at the processor" list={facts.list}>
      {facts.list.items.map(({ id, at, amount, description }) => {
        const fields = { movement_id: id, ...facts.list.place }
        const filled = filledFor({ filled: facts.filled, path, fields })
        return (
          <Entry
            key={id}
            title={<Money amount={amount} />}
            details={
              <span class="wrap-anywhere">
                <Day date={at} />, {id}, {description}. No sale, refund, dispute or payout is about
                it.
              </span>
            }
            csrf_token={facts.csrf_token}
            path={path}
            fields={fields}
            id={`suspense-${id}`}
            label="Book"
            filled={filled}
          >
            <SelectField
              label="What it was"
              name="booked_as"
              id={`booked-as-${id}`}
              value={filled?.choice}
              error={filled && faultOf(filled)}
              options={[{ value: '', label: 'Choose' }, ...options]}
            />
          </Entry>
        )
      })}
    </Entries>
  )
}
