import type { JSX } from 'preact'
import { BackLink, Button, TextLink } from '#design/actions'
import { CopyField } from '#design/copy'
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
  const { t } = facts.purchase.locale
  return (
    <FocusLayout
      {...layoutOf(facts.purchase)}
      title={t('checkout.no_card_page_title', { app: facts.purchase.app_name })}
    >
      <Steps current="card" />
      <Heading title={t('checkout.no_card_title')}>{t('checkout.no_card_text')}</Heading>
      <Button kind="primary" href={facts.confirm_url} wide>
        {t('checkout.continue')}
      </Button>
      <BackLink href={facts.details_url}>{t('checkout.change_details')}</BackLink>
    </FocusLayout>
  )
}

/** The end of a preview: a working key, and the link that a buyer would use. */
export function PreviewDonePage(
  facts: PreviewPageFacts & { license_key: string; return_url: string; integration_url: string },
): JSX.Element {
  const { purchase } = facts
  const { t, rich } = purchase.locale
  return (
    <FocusLayout
      {...layoutOf(purchase)}
      title={t('checkout.preview_done_page_title', { app: purchase.app_name })}
    >
      <Steps current="done" />
      <Heading title={t('checkout.preview_done_title', { product: nameOf(purchase) })} done>
        {t('checkout.preview_done_text')}
      </Heading>
      <CopyField id="license_key" label={t('checkout.license_key')} value={facts.license_key} />
      <p class="-mt-4 text-sm text-muted">
        {rich('checkout.preview_key_also', {
          link: (text) => <TextLink href={facts.integration_url}>{text}</TextLink>,
        })}
      </p>
      <div class="grid gap-2">
        <Button kind="primary" href={facts.return_url} icon_after="arrow-right" wide>
          {t('checkout.continue_to', { app: purchase.app_name })}
        </Button>
        <RedirectNotice url={facts.return_url} destination={purchase.app_name} />
      </div>
    </FocusLayout>
  )
}
