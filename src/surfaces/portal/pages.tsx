import type { JSX } from 'preact'
import { Actions, Button, CopyField, TextLink } from '#design/actions'
import { Monogram } from '#design/brand'
import { Alert, StatusBadge } from '#design/feedback'
import { Form } from '#design/forms'
import { type Link, SiteLayout } from '#design/layout'
import { Day, type Frequency, Money, Price } from '#design/money'
import { DescriptionList, EmptyState, Heading, Mailbox, Panel, RecordCards } from '#design/panels'
import type { Purchase } from '#domain/billing'

function SignOutForm({ csrf_token }: { csrf_token: string }): JSX.Element {
  return (
    <Form action="/signout/" csrf_token={csrf_token}>
      <Actions>
        <Button pending="Signing out…">Sign out</Button>
      </Actions>
    </Form>
  )
}

/** Everything that an account bought. */
export function PurchasesPage(facts: {
  nav: Link[]
  email: string
  csrf_token: string
  purchases: Purchase[]
  /** True while the mailbox is unproven and only one app's purchase is shown. */
  is_limited: boolean
}): JSX.Element {
  return (
    <SiteLayout title="Your purchases · Purser" nav={facts.nav}>
      <Heading title="Your purchases">
        Signed in as <Mailbox address={facts.email} />.
      </Heading>
      {facts.is_limited && (
        <Alert tone="info" title="Confirm your email">
          The receipt has a link for it. Until then, this page shows the purchase you just made and
          no other.
        </Alert>
      )}
      {facts.purchases.length === 0 ? (
        <EmptyState title="No purchases yet" action={<Button href="/">Look around</Button>}>
          What you buy through Purser, from any seller, shows up here.
        </EmptyState>
      ) : (
        <RecordCards
          records={facts.purchases.map((purchase) => ({
            key: purchase.order_id,
            href: `/manage/${purchase.app_id}/`,
            title: `${purchase.app_name} ${purchase.product_name}`,
            details: [
              <>
                Bought on <Day date={purchase.created_at} />
              </>,
              <>
                Paid <Money cents={purchase.charged} />
              </>,
            ],
            mark: <Monogram name={purchase.app_name} />,
            aside: <StatusBadge status={purchase.status} />,
          }))}
        />
      )}
      <SignOutForm csrf_token={facts.csrf_token} />
    </SiteLayout>
  )
}

/** What a person holds of one app: the plan, its end, and the key. */
export function ManagePage(facts: {
  nav: Link[]
  app_name: string
  client_id: string
  csrf_token: string
  product_name: string
  status: string
  amount_cents: number | undefined
  frequency: Frequency
  period_end: Date | null
  canceled_at: Date | null
  license_key: string | undefined
  product_url: string
  /** The link's own return address, which the page keeps while it is used. */
  next: string | undefined
  back_url: string
  receipt: 'none' | 'offered' | 'sent' | 'too_often'
}): JSX.Element {
  return (
    <SiteLayout title={`${facts.app_name} · Your purchase`} nav={facts.nav}>
      <div class="flex flex-wrap items-end justify-between gap-4">
        <Heading title={facts.app_name}>Your plan, your key and your receipt.</Heading>
        <Button href={facts.back_url} icon="arrow-left">
          Back to your app
        </Button>
      </div>
      {facts.receipt === 'sent' && (
        <Alert tone="success">The receipt is on its way to you again.</Alert>
      )}
      {facts.receipt === 'too_often' && (
        <Alert tone="info">The receipt was sent several times already. Try again in an hour.</Alert>
      )}
      <StatusNote status={facts.status} product_url={facts.product_url} />
      <div class="grid items-start gap-5 lg:grid-cols-2">
        <Panel title="Plan" aside={<StatusBadge status={facts.status} />}>
          {facts.amount_cents !== undefined && (
            <Price amount_cents={facts.amount_cents} frequency={facts.frequency} />
          )}
          <DescriptionList items={[{ term: 'Plan', detail: facts.product_name }, endOf(facts)]} />
          {facts.receipt !== 'none' && (
            <Form action={`/manage/${facts.client_id}/receipt`} csrf_token={facts.csrf_token}>
              {facts.next !== undefined && <input type="hidden" name="next" value={facts.next} />}
              <Actions>
                <Button icon="mail" pending="Sending…">
                  Resend receipt email
                </Button>
              </Actions>
            </Form>
          )}
        </Panel>
        <Panel title="Your key">
          {facts.license_key === undefined ? (
            <p class="text-sm text-muted">A canceled license has no key to use.</p>
          ) : (
            <>
              <CopyField id="license_key" label="License key" value={facts.license_key} />
              <p class="text-sm text-muted">
                {facts.app_name} may ask for it on a new device. Keep it to yourself.
              </p>
            </>
          )}
        </Panel>
      </div>
      <SignOutForm csrf_token={facts.csrf_token} />
    </SiteLayout>
  )
}

/** Until when the plan is paid, or since when it is over. */
function endOf(facts: { status: string; period_end: Date | null; canceled_at: Date | null }) {
  const { status, period_end, canceled_at } = facts
  if (status === 'canceled') {
    return { term: 'Ended', detail: canceled_at ? <Day date={canceled_at} /> : 'Yes' }
  }
  if (!period_end) return { term: 'Paid', detail: 'Once, yours for good' }
  return {
    term: status === 'trialing' ? 'Trial until' : 'Paid until',
    detail: <Day date={period_end} />,
  }
}

function StatusNote(facts: { status: string; product_url: string }): JSX.Element | null {
  const { status, product_url } = facts
  if (status === 'canceled') {
    return (
      <Alert tone="info" title="This license has ended">
        Miss it? <TextLink href={product_url}>Look at the plans</TextLink>.
      </Alert>
    )
  }
  if (status === 'paused') {
    return (
      <Alert tone="warning" title="This license is paused">
        It cannot be used for now, and there is no need to buy it again: it comes back as it was.
      </Alert>
    )
  }
  if (status === 'past_due' || status === 'unpaid') {
    return (
      <Alert tone="warning" title="Your last payment did not go through">
        The license waits for it. There is no need to buy it again.
      </Alert>
    )
  }
  return null
}

/** Somebody without a license looks for one. */
export function NothingHerePage(facts: {
  nav: Link[]
  app_name: string
  product_url: string
  csrf_token: string
  email: string
}): JSX.Element {
  return (
    <SiteLayout title={`${facts.app_name} · Your purchase`} nav={facts.nav}>
      <Heading title={facts.app_name} />
      <EmptyState
        title={`No purchase of ${facts.app_name}`}
        action={<Button href={facts.product_url}>See the plans</Button>}
      >
        The account <Mailbox address={facts.email} /> has none. Perhaps you bought it with another
        email address.
      </EmptyState>
      <SignOutForm csrf_token={facts.csrf_token} />
    </SiteLayout>
  )
}
