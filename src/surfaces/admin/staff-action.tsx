import type { ComponentChildren, JSX } from 'preact'
import { Actions, Button } from '#design/actions'
import { Field, Form, HiddenFields } from '#design/forms'
import { Pager } from '#design/navigation'
import { Panel } from '#design/panels'
import { recordDescription, recordIds } from '#design/records'
import { MAX_REASON_LENGTH } from '#http/reason'
import type { CaseList } from './case-lists.ts'

/** A form that is shown again as it was sent: after re-authentication, or with an error. */
export interface FilledForm {
  path: string
  /** The ID of what the action is about. */
  subject: string
  reason: string
  /** What was chosen, in an action with a choice. */
  choice?: string | undefined
  /** Whether it is shown again because a field is wrong or missing. */
  is_refused: boolean
  /** What is wrong with the reason. */
  fault: string | undefined
}

/** The filled-in form, if it belongs to this action and subject. */
export function filledFor({
  filled,
  path,
  fields,
}: {
  filled: FilledForm | undefined
  path: string
  fields: Record<string, string>
}): FilledForm | undefined {
  const isOwn = filled?.path === path && Object.values(fields).includes(filled.subject)
  return isOwn ? filled : undefined
}

interface StaffActionFacts {
  csrf_token: string
  path: string
  fields: Record<string, string>
  id: string
  label: string
  /** The IDs of the elements that name the subject, where a page repeats the label. */
  describedby?: string
  filled: FilledForm | undefined
  children?: ComponentChildren
}

/** The form of a staff action, with its reason. */
export function StaffAction(facts: StaffActionFacts): JSX.Element {
  const filled = filledFor(facts)
  return (
    <Form action={`/admin/${facts.path}`} csrf_token={facts.csrf_token}>
      <HiddenFields values={facts.fields} />
      {facts.children}
      <div class="flex flex-wrap items-end gap-3">
        <div class="min-w-0 grow basis-full sm:basis-52">
          <Field
            label="Reason"
            name="reason"
            id={facts.id}
            value={filled?.reason}
            error={filled?.fault}
            autocomplete="off"
            maxlength={MAX_REASON_LENGTH}
          />
        </div>
        <Actions>
          <Button pending="One moment…" describedby={facts.describedby}>
            {facts.label}
          </Button>
        </Actions>
      </div>
    </Form>
  )
}

/** A case in a list, with its staff action. */
export function Entry({
  title,
  details,
  ...action
}: StaffActionFacts & { title: ComponentChildren; details: ComponentChildren }): JSX.Element {
  const { id } = action
  return (
    <li class="grid gap-3 py-4 lg:grid-cols-2 lg:items-start">
      <div class="grid gap-0.5">
        <span id={recordIds(id).title} class="font-semibold">
          {title}
        </span>
        <span id={recordIds(id).details} class="text-sm text-muted">
          {details}
        </span>
      </div>
      <StaffAction {...action} describedby={recordDescription(id)} />
    </li>
  )
}

/** A list of cases of one kind. */
export function Entries(facts: {
  id: string
  title: string
  list: CaseList<unknown>
  children: ComponentChildren
}) {
  return (
    <CasePanel {...facts}>
      <ul class="divide-y divide-base-300 border-y border-base-300">{facts.children}</ul>
    </CasePanel>
  )
}

/** A panel with a page of cases, and the links to the other pages. */
export function CasePanel(facts: {
  id: string
  title: string
  list: CaseList<unknown>
  children: ComponentChildren
}) {
  const { id, title, list, children } = facts
  return (
    <Panel id={id} title={title}>
      {children}
      <Pager {...list} label={`Pages: ${title}`} from_first />
    </Panel>
  )
}
