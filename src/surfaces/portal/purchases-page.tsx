import type { JSX } from 'preact'
import { Actions, Button } from '#design/actions'
import { AppIcon } from '#design/brand'
import { Alert, StatusBadge } from '#design/feedback'
import { SiteLayout } from '#design/layout'
import { Day, Money } from '#design/money'
import { EmptyState, Heading, Mailbox, RecordCards } from '#design/panels'
import { iconPath } from '#domain/apps'
import type { Purchase } from '#domain/billing'
import type { Cents } from '#platform/money'

/** The next charge or the end of a purchase. */
export interface Outlook {
  word: 'Next charge' | 'First charge' | 'Amount due' | 'Ends' | 'Pauses' | 'Ended'
  amount?: Cents
  /** True if a tax service will compute the exact tax at that time. */
  is_about?: boolean
  day?: Date
}

/** The purchases of an account. */
export function PurchasesPage(facts: {
  email: string
  purchases: (Purchase & { outlook: Outlook | undefined })[]
  /** The next page with older purchases; undefined on the last page. */
  older_url: string | undefined
  /** True while the email is unconfirmed and only one app's purchase is shown. */
  is_limited: boolean
}): JSX.Element {
  return (
    <SiteLayout title="Your purchases · Purser">
      <Heading title="Your purchases">
        Signed in as <Mailbox address={facts.email} />.
      </Heading>
      {facts.is_limited && (
        <Alert tone="info" title="Confirm your email">
          Use the link in your receipt. Until then, this page shows only the purchase you just made.
        </Alert>
      )}
      {facts.purchases.length === 0 ? (
        <EmptyState title="No purchases yet" action={<Button href="/">Browse apps</Button>}>
          Purchases from any seller on Purser appear here.
        </EmptyState>
      ) : (
        <RecordCards
          records={facts.purchases.map((purchase) => ({
            key: purchase.license_id,
            href: `/manage/${purchase.app_id}/`,
            title: `${purchase.app_name} ${purchase.product_name}`,
            details: [
              <>
                {purchase.is_given ? 'Given to you on' : 'Bought on'}{' '}
                <Day date={purchase.created_at} />
              </>,
              ...(purchase.outlook ? [<OutlookText {...purchase.outlook} />] : []),
            ],
            mark: <AppIcon name={purchase.app_name} icon={iconPath(purchase)} />,
            aside: <StatusBadge status={purchase.status} />,
          }))}
        />
      )}
      {facts.older_url && (
        <Actions>
          <Button href={facts.older_url} kind="plain">
            Older purchases
          </Button>
        </Actions>
      )}
    </SiteLayout>
  )
}

function OutlookText({ word, amount, is_about, day }: Outlook): JSX.Element {
  return (
    <>
      {word}
      {is_about && ' about'} {amount !== undefined && <Money amount={amount} />}
      {day && (
        <>
          {' '}
          on <Day date={day} />
        </>
      )}
    </>
  )
}
