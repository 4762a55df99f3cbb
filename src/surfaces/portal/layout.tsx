import type { ComponentChildren, JSX } from 'preact'
import { BackLink } from '#design/actions'
import { Alert } from '#design/feedback'
import { type Link, SiteLayout } from '#design/layout'
import { Heading, Panel } from '#design/panels'

/** What every page about one purchase shows. */
export interface ManageLayoutFacts {
  nav: Link[]
  app_name: string
  csrf_token: string
  /** An address under the manage page; the link's own return address goes along. */
  at: (path?: string, query?: Record<string, string>) => string
  /** What is said across the top: that no real card is charged. */
  notice: string | undefined
}

/** What has just happened, in words. */
export interface Note {
  tone: 'success' | 'info' | 'error'
  title?: string
  text: string
}

/** What has just happened, where a screen reader hears it first. */
export function NoteAlert({ note }: { note: Note | undefined }): JSX.Element | null {
  if (!note) return null
  return (
    <Alert tone={note.tone} {...(note.title === undefined ? {} : { title: note.title })}>
      {note.text}
    </Alert>
  )
}

/** A page that asks one thing about a purchase, and the way back to all of it. */
export function QuestionPage(
  facts: ManageLayoutFacts & {
    title: string
    /** A sentence under the title. */
    intro?: ComponentChildren
    note?: Note | undefined
    children: ComponentChildren
  },
): JSX.Element {
  const fault = facts.note?.tone === 'error' ? 'Error: ' : ''
  return (
    <SiteLayout
      title={`${fault}${facts.title} · ${facts.app_name}`}
      nav={facts.nav}
      notice={facts.notice}
    >
      <div class="mx-auto grid w-full max-w-xl grid-cols-1 gap-6">
        <BackLink href={facts.at()}>Your purchase of {facts.app_name}</BackLink>
        <Heading title={facts.title}>{facts.intro}</Heading>
        <NoteAlert note={facts.note} />
        <Panel>{facts.children}</Panel>
      </div>
    </SiteLayout>
  )
}
