import type { JSX } from 'preact'
import { TextLink } from '#design/actions'
import { Day } from '#design/money'
import type { Alarm } from '#platform/alarms'
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
      {list.items.map(({ id, message, href, count, last_at }) => (
        <Entry
          key={id}
          title={message}
          details={
            <>
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
