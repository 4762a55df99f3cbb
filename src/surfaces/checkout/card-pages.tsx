import type { JSX } from 'preact'
import { Button } from '#design/actions'
import { Alert } from '#design/feedback'
import { FocusLayout } from '#design/layout'
import { Steps } from '#design/order'
import { DescriptionList, Heading } from '#design/panels'
import type { TaxAddress } from '#domain/tax'
import { layoutOf, type Step } from './layout.tsx'

type CardPageFacts = Omit<Step, 'csrf_token'> & { card_url: string }

/** A card that cannot be used here. */
export function CardRefusedPage(
  facts: CardPageFacts & { reason: 'abroad' | 'unknown_zip' },
): JSX.Element {
  const { t } = facts.purchase.locale
  const text =
    facts.reason === 'abroad' ? t('checkout.card_abroad') : t('checkout.card_unknown_zip')
  return (
    <FocusLayout
      {...layoutOf(facts.purchase)}
      title={t('checkout.card_refused_page_title', { app: facts.purchase.app_name })}
    >
      <Steps current="card" />
      <Heading title={t('checkout.card_refused_title')}>{t('checkout.nothing_charged')}</Heading>
      <Alert tone="error">{text}</Alert>
      <Button kind="primary" href={facts.card_url} wide>
        {t('checkout.other_card')}
      </Button>
    </FocusLayout>
  )
}

/** The card's billing state differs from the tax state: one of them must be corrected. */
export function OtherStatePage(
  facts: CardPageFacts & { details_url: string; declared: TaxAddress; billed: TaxAddress },
): JSX.Element {
  const { purchase, declared, billed } = facts
  const { locale } = purchase
  const { t } = locale
  return (
    <FocusLayout
      {...layoutOf(purchase)}
      title={t('checkout.states_differ_page_title', { app: purchase.app_name })}
      has_error
    >
      <Steps current="card" />
      <Heading title={t('checkout.states_differ_title')}>{t('checkout.nothing_charged')}</Heading>
      <Alert tone="error">{t('checkout.states_differ_text')}</Alert>
      <DescriptionList
        items={[
          { term: t('checkout.tax_address'), detail: `${declared.state} ${declared.zip}` },
          { term: t('checkout.billing_address'), detail: `${billed.state} ${billed.zip}` },
        ]}
      />
      <Button kind="primary" href={facts.details_url} wide>
        {t('checkout.change_details')}
      </Button>
      <Button href={facts.card_url} wide>
        {t('checkout.other_card')}
      </Button>
    </FocusLayout>
  )
}
