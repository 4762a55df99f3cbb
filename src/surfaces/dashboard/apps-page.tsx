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
  /** Whether the account is a member of a seller. */
  is_seller: boolean
}): JSX.Element {
  const { cards } = facts
  return (
    <SiteLayout title="Your apps · Purser" nav={facts.nav}>
      <div class="flex flex-wrap items-end justify-between gap-4">
        <Heading title="Your apps">Apps that you sell through Purser.</Heading>
        {cards.length > 0 && <Button href="/dashboard/apps/new/">New app</Button>}
      </div>
      {facts.owes_terms && <TermsOwed return_to="/dashboard/" />}
      {cards.length === 0 ? (
        <NoApps is_seller={facts.is_seller} />
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
          <TextLink href="/dashboard/terms/">seller terms</TextLink>, the{' '}
          <TextLink href="/dashboard/seller/">seller details</TextLink> and the{' '}
          <TextLink href="/dashboard/emails/">email preferences</TextLink>.
        </p>
      )}
    </SiteLayout>
  )
}

function NoApps({ is_seller }: { is_seller: boolean }): JSX.Element {
  const [href, label] = is_seller
    ? ['/dashboard/apps/new/', 'Create your first app']
    : ['/dashboard/start/', 'Start selling']
  const action = (
    <Button kind="primary" href={href}>
      {label}
    </Button>
  )
  return (
    <EmptyState title="No apps yet" action={action}>
      Sell your web app from your own site. Purser takes the payment, remits the tax and pays you.
    </EmptyState>
  )
}

function SaleBadge(app: Pick<AppCard, 'is_published' | 'is_on_sale'>): JSX.Element {
  if (app.is_on_sale) return <Badge tone="good">For sale</Badge>
  return app.is_published ? <Badge>Not for sale</Badge> : <Badge>Not published</Badge>
}
