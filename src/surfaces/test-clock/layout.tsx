import type { ComponentChildren, JSX } from 'preact'
import { Button } from '#design/actions'
import { SiteLayout } from '#design/layout'
import { SubNav } from '#design/navigation'
import { PageHeader } from '#design/page-header'
import { EmptyState, Heading } from '#design/panels'
import { addressOf, appMenu } from '#http/app-menu'
import { type AppSuspension, SuspendedApp } from '#http/suspended-app'

/** The facts that every page of the test clock shows. */
export interface ClockLayoutFacts {
  csrf_token: string
  app_name: string
  slug: string
  /** The base path of the pages and their forms. */
  base: string
  /** The app's current time, and whether it is ahead of real time. */
  now: Date
  is_ahead: boolean
  /** The suspension of the app or its seller. */
  suspension: AppSuspension | undefined
  /** The banner about the app's own time. */
  notice: string | undefined
}

/** A page with the result of an advance or a scenario. */
export function ResultLayout(
  facts: ClockLayoutFacts & {
    title: string
    intro: ComponentChildren
    children: ComponentChildren
  },
): JSX.Element {
  return (
    <SiteLayout title={`${facts.title} · ${facts.app_name}`} notice={facts.notice}>
      <PageHeader title={facts.title} back={{ label: 'Test clock', href: facts.base }}>
        {facts.intro}
      </PageHeader>
      <div class="grid grid-cols-1 gap-6">{facts.children}</div>
    </SiteLayout>
  )
}

/** The main page of the test clock, with the app's menu. */
export function ClockLayout(
  facts: ClockLayoutFacts & { fault: string | undefined; children: ComponentChildren },
): JSX.Element {
  return (
    <SiteLayout
      title={`Test clock · ${facts.app_name}`}
      has_error={facts.fault !== undefined}
      notice={facts.notice}
    >
      <div class="grid grid-cols-1 gap-6">
        <Heading title={`${facts.app_name}: test clock`}>
          Advance time for this app to test renewals, failures, cancellations and payouts.
        </Heading>
        <SubNav
          label={facts.app_name}
          links={appMenu(facts.slug, 'test-clock', { has_clock: true })}
        />
      </div>
      <div class="grid grid-cols-1 gap-6">
        <SuspendedApp suspension={facts.suspension} />
        {facts.children}
      </div>
    </SiteLayout>
  )
}

/** Explains why an app has no test clock. */
export function NoClockPage(facts: ClockLayoutFacts & { has_test_mode: boolean }): JSX.Element {
  const { app_name } = facts
  const back = addressOf(facts.slug, 'integration')
  return (
    <SiteLayout title={`No test clock · ${app_name}`}>
      <Heading title="Test clock not available" />
      <EmptyState title="Test clocks need test mode" action={<Button href={back}>Back</Button>}>
        {facts.has_test_mode
          ? 'Live mode has no test clock. Choose Test mode in the menu to open the one of this app.'
          : 'This service uses a live payment processor. Test clocks are available with the built-in sandbox processor.'}
      </EmptyState>
    </SiteLayout>
  )
}
