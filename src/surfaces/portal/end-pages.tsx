import type { JSX } from 'preact'
import { Button } from '#design/actions'
import { Processing } from '#design/feedback'
import { FocusLayout, SiteLayout } from '#design/layout'
import { EmptyState, Heading, Mailbox } from '#design/panels'

/** For a signed-in person without a license of the app. */
export function NothingHerePage(facts: {
  app_name: string
  product_url: string
  email: string
}): JSX.Element {
  return (
    <SiteLayout title={`${facts.app_name} · No purchase`}>
      <Heading title={facts.app_name} />
      <EmptyState
        title={`No purchase of ${facts.app_name}`}
        action={<Button href={facts.product_url}>View plans</Button>}
      >
        The account <Mailbox address={facts.email} /> has no purchase of this app. You may have used
        another email.
      </EmptyState>
    </SiteLayout>
  )
}

/** A payment that the processor has not answered yet. */
export function WaitingPage(facts: {
  app_name: string
  url: string
  manage_url: string
  notice: string | undefined
}): JSX.Element {
  return (
    <FocusLayout
      title={`Processing your payment · ${facts.app_name}`}
      app_name={facts.app_name}
      selling
      notice={facts.notice}
      refresh_seconds={3}
    >
      <Processing title="Processing your payment" href={facts.url}>
        We are waiting for your bank. This page updates automatically, usually within seconds. Your
        card is charged at most once. You can leave this page: we email you the receipt.
      </Processing>
      <Button href={facts.manage_url} wide>
        Back to your purchase
      </Button>
    </FocusLayout>
  )
}
