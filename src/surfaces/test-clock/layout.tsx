import type { ComponentChildren, JSX } from 'preact'
import { BackLink, Button } from '#design/actions'
import { type Link, SiteLayout } from '#design/layout'
import { SubNav } from '#design/navigation'
import { EmptyState, Heading } from '#design/panels'
import { addressOf, appMenu } from '#http/app-menu'

/** What every page of the clock shows. */
export interface ClockLayoutFacts {
  nav: Link[]
  csrf_token: string
  app_name: string
  slug: string
  /** The path under which the pages and their forms are. */
  base: string
  /** What time it is for the app, and whether that is ahead of the service's. */
  now: Date
  is_ahead: boolean
  /** One line across the top: that the app lives in its own time. */
  notice: string | undefined
}

/** A page of the clock that tells what came of something. */
export function ResultLayout(
  facts: ClockLayoutFacts & {
    title: string
    intro: ComponentChildren
    children: ComponentChildren
  },
): JSX.Element {
  return (
    <SiteLayout title={`${facts.title} · ${facts.app_name}`} nav={facts.nav} notice={facts.notice}>
      <div class="grid gap-2">
        <BackLink href={facts.base}>Test clock</BackLink>
        <Heading title={facts.title}>{facts.intro}</Heading>
      </div>
      <div class="grid grid-cols-1 gap-6">{facts.children}</div>
    </SiteLayout>
  )
}

/** The first page of the clock, under the app's menu. */
export function ClockLayout(
  facts: ClockLayoutFacts & { fault: string | undefined; children: ComponentChildren },
): JSX.Element {
  return (
    <SiteLayout
      title={`${facts.fault ? 'Error: ' : ''}Test clock · ${facts.app_name}`}
      nav={facts.nav}
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
      <div class="grid grid-cols-1 gap-6">{facts.children}</div>
    </SiteLayout>
  )
}

/** Says why there is no clock to move. */
export function NoClockPage({ nav, app_name, slug }: ClockLayoutFacts): JSX.Element {
  const back = addressOf(slug, 'integration')
  return (
    <SiteLayout title={`No test clock · ${app_name}`} nav={nav}>
      <Heading title="Test clock not available" />
      <EmptyState title="Test clocks need test mode" action={<Button href={back}>Back</Button>}>
        This service uses a live payment processor. Test clocks are available with the built-in
        sandbox processor.
      </EmptyState>
    </SiteLayout>
  )
}
