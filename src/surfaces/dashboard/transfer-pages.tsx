import type { JSX } from 'preact'
import { Actions, Button, TextLink } from '#design/actions'
import { Alert, NoteAlert } from '#design/feedback'
import { Field, Form } from '#design/forms'
import { SiteLayout } from '#design/layout'
import { Day } from '#design/money'
import { PageHeader } from '#design/page-header'
import { DescriptionList, EmptyState, Panel } from '#design/panels'
import type { ActionNote } from '#http/action-note'
import { addressOf } from '#http/app-menu'
import { enteredFields, type FormFault } from '#http/form-errors'
import { MAX_REASON_LENGTH } from '#http/reason'
import { type AppFacts, AppPage } from './layout.tsx'

type TransferFacts = AppFacts & {
  form: { email: string; reason: string }
  faults: FormFault[]
  /** The open offer, if there is one. */
  offer: { email: string | null; reason: string; expires_at: Date } | undefined
  /** Whether payouts to the seller are blocked, and with them the transfer. */
  is_blocked: boolean
}

/** Offers an app to another seller, or shows the open offer. */
export function TransferPage(facts: TransferFacts): JSX.Element {
  const { slug, app_name, offer, is_blocked } = facts
  return (
    <AppPage
      {...facts}
      current="settings"
      heading="transfer"
      intro={`Transfer ${app_name} to another seller.`}
      back={{ label: 'Settings', href: addressOf(slug, 'settings') }}
    >
      <div class="grid max-w-3xl grid-cols-1 gap-6">
        {is_blocked && (
          <Alert tone="warning" title="This app cannot be transferred yet">
            Your payouts are paused or your balance is negative. See{' '}
            <TextLink href="/dashboard/payouts/">Payouts</TextLink>.
          </Alert>
        )}
        <Panel title="What a transfer does">
          <ul class="grid list-disc gap-1.5 ps-5 text-sm text-muted">
            <li>
              The other seller gets the app with its customers, subscriptions, sales history and
              figures.
            </li>
            <li>
              Past sales stay yours, with their balance, payouts, refunds and disputes. Invoices
              created after the transfer belong to the other seller and are paid out to them.
            </li>
            <li>
              Your team and your agents lose access. The client secret is revoked, so the app’s
              server needs a new one.
            </li>
            <li>
              Staff must approve the other seller before new buyers can buy. Renewals continue.
            </li>
          </ul>
        </Panel>
        {offer && <OpenOffer {...facts} offer={offer} />}
        {!offer && !is_blocked && <Offer {...facts} />}
      </div>
    </AppPage>
  )
}

function Offer({ slug, csrf_token, form, faults }: TransferFacts): JSX.Element {
  const field = enteredFields(form, faults)
  return (
    <Panel title="Offer the app">
      <Form action={`/dashboard/apps/${slug}/transfer/`} csrf_token={csrf_token}>
        <Field
          label="Email of the other seller’s owner"
          {...field('email')}
          type="email"
          autocomplete="off"
        />
        <Field
          label="Reason"
          {...field('reason')}
          maxlength={MAX_REASON_LENGTH}
          hint="The other seller sees it. It stays in both activity logs."
        />
        <Actions>
          <Button kind="danger" pending="One moment…">
            Offer app
          </Button>
        </Actions>
      </Form>
    </Panel>
  )
}

function OpenOffer({
  slug,
  csrf_token,
  offer,
}: TransferFacts & { offer: NonNullable<TransferFacts['offer']> }): JSX.Element {
  return (
    <Panel title="Open offer">
      <DescriptionList
        items={[
          { term: 'To', detail: offer.email },
          { term: 'Reason', detail: offer.reason },
          { term: 'Expires', detail: <Day date={offer.expires_at} /> },
        ]}
      />
      <Form action={`/dashboard/apps/${slug}/transfer/withdraw`} csrf_token={csrf_token}>
        <Actions>
          <Button pending="One moment…">Withdraw offer</Button>
        </Actions>
      </Form>
    </Panel>
  )
}

/** An app that is offered. */
interface AppOffer {
  id: string
  app_name: string
  app_url: string
  legal_name: string
  reason: string
  expires_at: Date
}

type OffersFacts = {
  csrf_token: string
  email: string
  /** The seller that would get the apps; undefined if the account owns none. */
  seller_name: string | undefined
  offers: AppOffer[]
  note: ActionNote | undefined
}

/** The apps that other sellers offer to the signed-in account. */
export function TransferOffersPage(facts: OffersFacts): JSX.Element {
  const { offers, email, note } = facts
  return (
    <SiteLayout title="Offered apps · Purser">
      <PageHeader title="Offered apps" back={{ label: 'Your apps', href: '/dashboard/' }}>
        Apps that sellers offer to transfer to {email}.
      </PageHeader>
      <NoteAlert note={note} />
      {offers.length === 0 ? (
        <EmptyState title="No offers">
          An offer is for one email address. If you have another account, sign in to it.
        </EmptyState>
      ) : (
        <div class="grid max-w-3xl grid-cols-1 gap-6">
          {offers.map((offer) => (
            <Offered key={offer.id} facts={facts} offer={offer} />
          ))}
        </div>
      )}
    </SiteLayout>
  )
}

function Offered({ facts, offer }: { facts: OffersFacts; offer: AppOffer }): JSX.Element {
  const { csrf_token, seller_name } = facts
  return (
    <Panel title={offer.app_name}>
      <DescriptionList
        items={[
          { term: 'Website', detail: <TextLink href={offer.app_url}>{offer.app_url}</TextLink> },
          { term: 'Seller', detail: offer.legal_name },
          { term: 'Reason', detail: offer.reason },
          { term: 'Expires', detail: <Day date={offer.expires_at} /> },
        ]}
      />
      {seller_name === undefined ? (
        <p class="text-sm text-muted">
          Only the owner of a seller can accept an app.{' '}
          <TextLink href="/dashboard/start/">Start selling</TextLink>
        </p>
      ) : (
        <p class="text-sm text-muted">
          {seller_name} takes over the customers and subscriptions, and is paid for every invoice
          written from now on. Earlier sales stay with {offer.legal_name}. The client secret is
          revoked: create a new one for the app’s server at once. Staff approve the app again before
          new buyers can buy.
        </p>
      )}
      <div class="flex flex-wrap gap-3">
        {seller_name !== undefined && (
          <Form action="/dashboard/transfers/accept" csrf_token={csrf_token}>
            <input type="hidden" name="transfer_id" value={offer.id} />
            <Button kind="primary" pending="One moment…">
              {`Accept for ${seller_name}`}
            </Button>
          </Form>
        )}
        <Form action="/dashboard/transfers/decline" csrf_token={csrf_token}>
          <input type="hidden" name="transfer_id" value={offer.id} />
          <Button pending="One moment…">Decline</Button>
        </Form>
      </div>
    </Panel>
  )
}
