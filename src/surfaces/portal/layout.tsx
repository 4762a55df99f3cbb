import type { ComponentChildren, JSX } from 'preact'
import { Button } from '#design/actions'
import { NoteAlert } from '#design/feedback'
import { SiteLayout } from '#design/layout'
import { PageHeader } from '#design/page-header'
import { Panel } from '#design/panels'
import type { Locale } from '#platform/language/locale'
import type { LicenseDone, Note } from './notes.ts'

/** The facts that every page about a license shows. */
export interface ManageLayoutFacts {
  locale: Locale
  app_name: string
  csrf_token: string
  /** An address under the app's manage page that keeps the return address of the link. */
  at: (path?: string, query?: { done?: LicenseDone; page?: string }) => string
  /** The test mode banner. */
  notice: string | undefined
}

/** The name of an app, and the way back to it. */
export function AppHeader(facts: {
  locale: Locale
  app_name: string
  back_url: string
  children?: ComponentChildren
}): JSX.Element {
  return (
    <PageHeader
      title={facts.app_name}
      aside={
        <Button href={facts.back_url} icon="arrow-left">
          {facts.locale.t('portal.back_to_app')}
        </Button>
      }
    >
      {facts.children}
    </PageHeader>
  )
}

/** A page with one question about a license, and a link back to the manage page. */
export function QuestionPage(
  facts: ManageLayoutFacts & {
    title: string
    /** The text below the title. */
    intro?: ComponentChildren
    note?: Note | undefined
    children: ComponentChildren
  },
): JSX.Element {
  const { app_name, locale, note } = facts
  const { t } = locale
  return (
    <SiteLayout
      locale={locale}
      title={t('portal.question_title', { title: facts.title, app: app_name })}
      has_error={note?.tone === 'error'}
      notice={facts.notice}
    >
      <div class="mx-auto grid w-full max-w-xl grid-cols-1 gap-6">
        <PageHeader
          title={facts.title}
          back={{ label: t('portal.your_purchase_of', { app: app_name }), href: facts.at() }}
        >
          {facts.intro}
        </PageHeader>
        <NoteAlert note={note} />
        <Panel>{facts.children}</Panel>
      </div>
    </SiteLayout>
  )
}
