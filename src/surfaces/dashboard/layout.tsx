import type { ComponentChildren, JSX } from 'preact'
import { TextLink } from '#design/actions'
import { Alert, ErrorSummary } from '#design/feedback'
import { type Link, SiteLayout } from '#design/layout'
import { ReadOnly } from '#design/menu'
import { SubNav } from '#design/navigation'
import { PageHeader } from '#design/page-header'
import { type MemberRole, rolesWith } from '#domain/sellers'
import { type AppPageName, addressOf, appMenu } from '#http/app-menu'
import { placed } from '#http/field-places'
import type { FormFault } from '#http/form-errors'
import { sellerTermsUrl } from '#http/redirect'
import { type AppSuspension, SuspendedApp } from '#http/suspended-app'
import { anyOf, capitalized } from '#platform/text'

/** The facts that every page of an app shows. */
export interface AppFacts {
  slug: string
  app_name: string
  csrf_token: string
  /** True until the seller accepts the terms; nothing can be saved before. */
  owes_terms: boolean
  /** The suspension of the app or its seller by staff. */
  suspension: AppSuspension | undefined
  /** Whether the app has a test clock. */
  has_clock: boolean
  /** The banner about the app's own time. */
  notice: string | undefined
  /** A message about what was just done. */
  note?: string | undefined
  /** The role of a member who may view the page, and not send its forms. */
  viewers_role?: MemberRole | undefined
}

/** A page of an app: menu, a reminder of the terms, messages and errors. */
export function AppPage(
  facts: AppFacts & {
    current: AppPageName
    /** The heading after the app's name; the page's menu name by default. */
    heading?: string
    intro: ComponentChildren
    /** The page that this one belongs to. */
    back?: Link
    faults?: FormFault[]
    /** Whether a form shows errors at its fields, without a summary. */
    has_error?: boolean
    children: ComponentChildren
  },
): JSX.Element {
  const heading = facts.heading ?? facts.current
  const faults = facts.faults ?? []
  return (
    <SiteLayout
      title={`${capitalized(heading)} · ${facts.app_name}`}
      has_error={faults.length > 0 || facts.has_error}
      notice={facts.notice}
    >
      <div class="grid grid-cols-1 gap-6">
        <PageHeader title={`${facts.app_name}: ${heading}`} back={facts.back}>
          {facts.intro}
        </PageHeader>
        <SubNav label={facts.app_name} links={appMenu(facts.slug, facts.current, facts)} />
      </div>
      <div class="grid grid-cols-1 gap-6">
        <SuspendedApp suspension={facts.suspension} />
        {facts.viewers_role && !FIGURES.includes(facts.current) && (
          <ViewOnly role={facts.viewers_role} />
        )}
        {facts.owes_terms && <TermsOwed return_to={addressOf(facts.slug, facts.current)} />}
        {facts.note && <Alert tone="success">{facts.note}</Alert>}
        <ErrorSummary errors={faults.map(placed)} title="Not saved. Check these fields" />
        <ReadOnly.Provider value={facts.viewers_role !== undefined}>
          {facts.children}
        </ReadOnly.Provider>
      </div>
    </SiteLayout>
  )
}

/** Pages that every role only reads. */
const FIGURES: readonly AppPageName[] = ['overview', 'affiliates']

function ViewOnly({ role }: { role: MemberRole }): JSX.Element {
  return (
    <Alert tone="info" title="View only">
      Your role is {role}. Changes here require the role {anyOf(rolesWith('edit_apps'))}.
    </Alert>
  )
}

/** Asks the seller to accept the terms first. */
export function TermsOwed({ return_to }: { return_to: string }): JSX.Element {
  return (
    <Alert tone="info" title="Accept the seller terms">
      Read and accept the <TextLink href={sellerTermsUrl(return_to)}>seller terms</TextLink> before
      you save changes here or through an agent.
    </Alert>
  )
}
