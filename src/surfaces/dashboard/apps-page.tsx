import type { JSX } from 'preact'
import { Button, TextLink } from '#design/actions'
import { Monogram } from '#design/brand'
import { Badge } from '#design/feedback'
import { type Link, SiteLayout } from '#design/layout'
import { EmptyState, Heading, RecordCards } from '#design/panels'
import { TermsOwed } from './layout.tsx'

/** An app in the list. */
export interface AppCard {
  slug: string
  name: string
  host: string
  is_published: boolean
  is_on_sale: boolean
  has_add_on: boolean
}

/** The apps of a seller. */
export function AppsPage(facts: {
  nav: Link[]
  cards: AppCard[]
  /** True until the seller accepts the terms. */
  owes_terms: boolean
}): JSX.Element {
  const { cards } = facts
  return (
    <SiteLayout title="Your apps · Purser" nav={facts.nav}>
      <Heading title="Your apps">Apps that you sell through Purser.</Heading>
      {facts.owes_terms && <TermsOwed return_to="/dashboard/" />}
      {cards.length === 0 ? (
        <EmptyState title="No apps yet" action={<Button href="/account/">Your purchases</Button>}>
          Apps that this account sells appear here.
        </EmptyState>
      ) : (
        <RecordCards
          records={cards.map((app) => ({
            key: app.slug,
            href: `/dashboard/apps/${app.slug}/`,
            title: app.name,
            details: [app.host, `Hosted sign-in ${app.has_add_on ? 'on' : 'off'}`],
            mark: <Monogram name={app.name} />,
            aside: <SaleBadge {...app} />,
          }))}
        />
      )}
      {cards.length > 0 && (
        <p class="text-sm text-muted">
          A coding agent can set this up for you:{' '}
          <TextLink href="/docs/agents/">connect one to Purser</TextLink>. See the{' '}
          <TextLink href="/dashboard/terms/">seller terms</TextLink> and the{' '}
          <TextLink href="/dashboard/emails/">email preferences</TextLink>.
        </p>
      )}
    </SiteLayout>
  )
}

function SaleBadge(app: Pick<AppCard, 'is_published' | 'is_on_sale'>): JSX.Element {
  if (app.is_on_sale) return <Badge tone="good">For sale</Badge>
  return app.is_published ? <Badge>Not for sale</Badge> : <Badge>Not published</Badge>
}
