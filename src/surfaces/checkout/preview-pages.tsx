import type { JSX } from 'preact'
import { BackLink, Button, CopyField, TextLink } from '#design/actions'
import { RedirectNotice } from '#design/feedback'
import { FocusLayout } from '#design/layout'
import { Steps } from '#design/order'
import { Heading } from '#design/panels'
import { layoutOf, nameOf, type PurchaseSummary } from './layout.tsx'

type PreviewPageFacts = { purchase: PurchaseSummary }

/** Replaces the processor's card page in a preview. */
export function NoCardPage(
  facts: PreviewPageFacts & { confirm_url: string; details_url: string },
): JSX.Element {
  return (
    <FocusLayout
      {...layoutOf(facts.purchase)}
      title={`No card is needed · ${facts.purchase.app_name}`}
    >
      <Steps current="Card" />
      <Heading title="No card is needed">
        Your buyers enter their card on the payment processor's page. Nothing is charged in a
        preview.
      </Heading>
      <Button kind="primary" href={facts.confirm_url} wide>
        Continue
      </Button>
      <BackLink href={facts.details_url}>Change your details</BackLink>
    </FocusLayout>
  )
}

/** The end of a preview: a working key, and the link that a buyer would use. */
export function PreviewDonePage(
  facts: PreviewPageFacts & { license_key: string; return_url: string; integration_url: string },
): JSX.Element {
  const { purchase } = facts
  return (
    <FocusLayout {...layoutOf(purchase)} title={`Your preview is ready · ${purchase.app_name}`}>
      <Steps current="Done" />
      <Heading title={`Your preview of ${nameOf(purchase)} is ready`} done>
        Nothing was charged and no receipt was sent. The key works: the API returns its status as
        preview.
      </Heading>
      <CopyField id="license_key" label="License key" value={facts.license_key} />
      <p class="-mt-4 text-sm text-muted">
        Your key is also on{' '}
        <TextLink href={facts.integration_url}>your app's integration page</TextLink>, where you can
        end the preview.
      </p>
      <div class="grid gap-2">
        <Button kind="primary" href={facts.return_url} icon_after="arrow-right" wide>
          Continue to {purchase.app_name}
        </Button>
        <RedirectNotice
          url={facts.return_url}
          seconds={REDIRECT_SECONDS}
          destination={purchase.app_name}
        />
      </div>
    </FocusLayout>
  )
}

const REDIRECT_SECONDS = 12
