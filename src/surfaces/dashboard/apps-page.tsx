import type { JSX } from 'preact'
import { Actions, Button, TextLink } from '#design/actions'
import { AppIcon } from '#design/brand'
import { Alert, Badge } from '#design/feedback'
import { Form, SelectField } from '#design/forms'
import { SiteLayout } from '#design/layout'
import { PageHeader } from '#design/page-header'
import { EmptyState, Panel } from '#design/panels'
import { RecordCards } from '#design/records'
import { isAllowed, type Membership } from '#domain/sellers'
import { TermsOwed } from './layout.tsx'
import { SellerMenu, SuspendedNote } from './seller-menu.tsx'

/** An app in the list. */
export interface AppCard {
  slug: string
  name: string
  /** The path of the icon; undefined if the app has none. */
  icon: string | undefined
  host: string
  is_published: boolean
  is_on_sale: boolean
  is_suspended: boolean
  has_add_on: boolean
}

interface AppsFacts {
  csrf_token: string
  /** The membership whose seller is shown; undefined for an account that sells nothing. */
  member: Membership | undefined
  /** Every membership of the account. */
  sellers: Membership[]
  /** How many invitations to teams wait for the account. */
  invitations: number
  /** How many apps are offered to the account. */
  transfers: number
  cards: AppCard[]
  archived: { slug: string; name: string }[]
  /** True until the seller accepts the terms. */
  owes_terms: boolean
}

/** The apps of a seller. */
export function AppsPage(facts: AppsFacts): JSX.Element {
  const { cards, member, invitations } = facts
  const canCreate =
    member !== undefined && !member.is_suspended && isAllowed(member.role, 'edit_apps')
  return (
    <SiteLayout title="Your apps · Purser">
      <div class="grid grid-cols-1 gap-6">
        <PageHeader
          title="Your apps"
          aside={
            cards.length > 0 && canCreate && <Button href="/dashboard/apps/new/">New app</Button>
          }
        >
          {introOf(member)}
        </PageHeader>
        {member && <SellerMenu current="apps" role={member.role} />}
      </div>
      {member?.is_suspended && <SuspendedNote name={member.legal_name} />}
      {invitations > 0 && (
        <Alert tone="info" title="You are invited to a team">
          <TextLink href="/dashboard/invitations/">View your invitations</TextLink>
        </Alert>
      )}
      {facts.transfers > 0 && (
        <Alert tone="info" title="A seller offers you an app">
          <TextLink href="/dashboard/transfers/">View the offer</TextLink>
        </Alert>
      )}
      {facts.sellers.length > 1 && <Switch {...facts} />}
      {facts.owes_terms && <TermsOwed return_to="/dashboard/" />}
      {cards.length === 0 ? (
        <NoApps is_seller={member !== undefined} can_create={canCreate} />
      ) : (
        <Cards cards={cards} />
      )}
      {facts.archived.length > 0 && <Archived apps={facts.archived} />}
      {cards.length > 0 && (
        <p class="text-sm text-muted">
          A coding agent can set this up for you:{' '}
          <TextLink href="/docs/agents/">connect one to Purser</TextLink>.
        </p>
      )}
    </SiteLayout>
  )
}

function introOf(member: Membership | undefined): string {
  if (!member) return 'Apps that you sell through Purser.'
  return `Apps that ${member.legal_name} sells through Purser.`
}

function Switch({ sellers, member, csrf_token }: AppsFacts): JSX.Element {
  return (
    <Panel>
      <Form action="/dashboard/switch" csrf_token={csrf_token}>
        <div class="flex flex-wrap items-end gap-3">
          <div class="min-w-0 grow basis-52">
            <SelectField
              label="Seller"
              name="seller_id"
              value={member?.seller_id}
              options={sellers.map(({ seller_id, legal_name }) => ({
                value: seller_id,
                label: legal_name,
              }))}
            />
          </div>
          <Actions>
            <Button pending="One moment…">Switch</Button>
          </Actions>
        </div>
      </Form>
    </Panel>
  )
}

function Cards({ cards }: { cards: AppCard[] }): JSX.Element {
  return (
    <RecordCards
      records={cards.map((app) => ({
        key: app.slug,
        href: `/dashboard/apps/${app.slug}/`,
        title: app.name,
        details: [app.host, `Hosted sign-in ${app.has_add_on ? 'on' : 'off'}`],
        mark: <AppIcon {...app} />,
        aside: <SaleBadge {...app} />,
      }))}
    />
  )
}

function Archived({ apps }: { apps: AppsFacts['archived'] }): JSX.Element {
  return (
    <p class="text-sm text-muted">
      Archived:{' '}
      {apps.map(({ slug, name }, index) => (
        <>
          {index > 0 && ', '}
          <TextLink key={slug} href={`/dashboard/apps/${slug}/settings/`}>
            {name}
          </TextLink>
        </>
      ))}
    </p>
  )
}

function NoApps({
  is_seller,
  can_create,
}: {
  is_seller: boolean
  can_create: boolean
}): JSX.Element {
  const [href, label] = is_seller
    ? ['/dashboard/apps/new/', 'Create your first app']
    : ['/dashboard/start/', 'Start selling']
  const action = (!is_seller || can_create) && (
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

function SaleBadge(
  app: Pick<AppCard, 'is_published' | 'is_on_sale' | 'is_suspended'>,
): JSX.Element {
  if (app.is_suspended) return <Badge tone="bad">Suspended</Badge>
  if (app.is_on_sale) return <Badge tone="good">For sale</Badge>
  return app.is_published ? <Badge>Not for sale</Badge> : <Badge>Not published</Badge>
}
