import type { ComponentChildren, JSX } from 'preact'
import { TextLink } from '#design/actions'
import { Alert, ErrorSummary } from '#design/feedback'
import { type Link, SiteLayout } from '#design/layout'
import { SubNav } from '#design/navigation'
import { Heading } from '#design/panels'
import { placeOf } from './rows.ts'

/** The pages of an app, in the order of its menu. */
export const APP_PAGES = ['plans', 'listing', 'integration', 'changes'] as const
export type AppPageName = (typeof APP_PAGES)[number]

const LABELS: Record<AppPageName, string> = {
  plans: 'Plans',
  listing: 'Listing',
  integration: 'Integration',
  changes: 'Changes',
}

/** The address of a page of an app. */
export function addressOf(slug: string, page: AppPageName): string {
  return `/dashboard/apps/${slug}/${page}/`
}

/** What every page of an app is told. */
export interface AppFacts {
  nav: Link[]
  slug: string
  app_name: string
  csrf_token: string
  /** True while the seller has not accepted the terms, and nothing can be saved. */
  owes_terms: boolean
  /** What has just been done, in words. */
  note?: string | undefined
}

/** A fault of a form: the field that it stands in, and what is wrong. */
export interface FormFault {
  id: string
  message: string
}

/** What is wrong with a field, for the page to say beside it. */
export function faultAt(faults: FormFault[], id: string): string | undefined {
  const found = faults.filter((fault) => fault.id === id).map(({ message }) => message)
  return found.length > 0 ? found.join(' ') : undefined
}

/** A page of an app: its menu, the terms if they are owed, what was done, and what is wrong. */
export function AppPage(
  facts: AppFacts & {
    current: AppPageName
    /** What the page is called after the app's name; the page's own name unless said otherwise. */
    heading?: string
    words: ComponentChildren
    faults?: FormFault[]
    children: ComponentChildren
  },
): JSX.Element {
  const heading = facts.heading ?? facts.current
  const faults = facts.faults ?? []
  const start = heading.charAt(0).toUpperCase() + heading.slice(1)
  const title = `${faults.length > 0 ? 'Error: ' : ''}${start} · ${facts.app_name}`
  return (
    <SiteLayout title={title} nav={facts.nav}>
      <div class="grid grid-cols-1 gap-6">
        <Heading title={`${facts.app_name}: ${heading}`}>{facts.words}</Heading>
        <SubNav
          label={facts.app_name}
          links={APP_PAGES.map((page) => ({
            label: LABELS[page],
            href: addressOf(facts.slug, page),
            current: page === facts.current,
          }))}
        />
      </div>
      <div class="grid grid-cols-1 gap-6">
        {facts.owes_terms && <TermsOwed return_to={addressOf(facts.slug, facts.current)} />}
        {facts.note && <Alert tone="success">{facts.note}</Alert>}
        <ErrorSummary errors={faults.map(placed)} title="Nothing was saved yet" />
        {facts.children}
      </div>
    </SiteLayout>
  )
}

/** A fault as the summary tells it: some sentences make sense beside their field alone. */
function placed({ id, message }: FormFault): FormFault {
  const place = placeOf(id)
  return { id, message: place === '' ? message : `${place}: ${message}` }
}

/** Says that the terms come first; calm, as nothing is wrong. */
export function TermsOwed({ return_to }: { return_to: string }): JSX.Element {
  return (
    <Alert tone="info" title="One thing before you change anything">
      Read and accept the{' '}
      <TextLink href={`/dashboard/terms/?return_to=${encodeURIComponent(return_to)}`}>
        seller terms
      </TextLink>
      . Until then nothing is saved, neither here nor by an agent.
    </Alert>
  )
}
