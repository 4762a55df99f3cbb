import type { JSX } from 'preact'
import { Button } from '#design/actions'
import { Monogram } from '#design/brand'
import { Badge } from '#design/feedback'
import { FocusLayout, type Link, SiteLayout } from '#design/layout'
import { EmptyState, Heading, RecordCards } from '#design/panels'

/** An app in the list. */
export interface AppCard {
  slug: string
  name: string
  host: string
  is_published: boolean
  is_on_sale: boolean
  has_add_on: boolean
}

/** The apps that somebody is the registered developer of. */
export function AppsPage({ nav, cards }: { nav: Link[]; cards: AppCard[] }): JSX.Element {
  return (
    <SiteLayout title="Your apps · Purser" nav={nav}>
      <Heading title="Your apps">What you sell through Purser.</Heading>
      {cards.length === 0 ? (
        <EmptyState title="No apps yet" action={<Button href="/account/">Your purchases</Button>}>
          The apps that this account is the registered developer of show up here.
        </EmptyState>
      ) : (
        <RecordCards
          records={cards.map((app) => ({
            key: app.slug,
            href: `/dashboard/apps/${app.slug}/integration/`,
            title: app.name,
            details: [app.host, `Hosted sign-in ${app.has_add_on ? 'on' : 'off'}`],
            mark: <Monogram name={app.name} />,
            aside: <SaleBadge {...app} />,
          }))}
        />
      )}
    </SiteLayout>
  )
}

function SaleBadge(app: Pick<AppCard, 'is_published' | 'is_on_sale'>): JSX.Element {
  if (app.is_on_sale) return <Badge tone="good">On sale</Badge>
  return app.is_published ? <Badge>Not on sale</Badge> : <Badge>Not published</Badge>
}

/** What a browser sees whose account has an unproven mailbox. */
export function UnprovenPage(): JSX.Element {
  return (
    <FocusLayout title="Confirm your email first · Purser">
      <Heading title="Confirm your email first">
        The receipt of your purchase has a link for it. Until then this browser sees that purchase
        and nothing else.
      </Heading>
      <Button href="/account/" wide>
        To your purchase
      </Button>
    </FocusLayout>
  )
}
