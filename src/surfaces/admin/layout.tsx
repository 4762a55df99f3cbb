import type { ComponentChildren, ComponentProps, JSX } from 'preact'
import { NoteAlert } from '#design/feedback'
import { SiteLayout } from '#design/layout'
import { Heading } from '#design/panels'
import type { ActionNote } from '#http/action-note'
import { AdminMenu } from '#http/admin-menu'

/** A page of the admin menu: its heading, the menu, and the note about what was just done. */
export function AdminPage(
  facts: ComponentProps<typeof AdminMenu> & {
    title: string
    intro: string
    has_error?: boolean
    note?: ActionNote | undefined
    children: ComponentChildren
  },
): JSX.Element {
  const { current, role, title, intro, has_error = false, note } = facts
  return (
    <SiteLayout title={`${title} · Admin · Purser`} has_error={has_error}>
      <div class="grid grid-cols-1 gap-6">
        <Heading title={title}>{intro}</Heading>
        <AdminMenu current={current} role={role} />
      </div>
      <NoteAlert note={note} />
      {facts.children}
    </SiteLayout>
  )
}
