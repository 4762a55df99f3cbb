import type { JSX } from 'preact'
import { Button } from '#design/actions'
import { Form } from '#design/forms'
import { DescriptionList } from '#design/panels'
import type { TaxAddress } from '#domain/tax'
import { type ManageLayoutFacts, QuestionPage } from './layout.tsx'

/** The new card's billing state differs from the plan's tax state: asks whether the buyer moved. */
export function MovedPage(
  facts: ManageLayoutFacts & { declared: TaxAddress; billed: TaxAddress },
): JSX.Element {
  const { at, csrf_token, declared, billed } = facts
  const { t } = facts.locale
  return (
    <QuestionPage {...facts} title={t('portal.moved_title')}>
      <p>{t('portal.moved_text')}</p>
      <DescriptionList
        items={[
          {
            term: t('portal.tax_address'),
            detail: `${declared.state} ${declared.zip}`,
          },
          {
            term: t('portal.billing_address'),
            detail: `${billed.state} ${billed.zip}`,
          },
        ]}
      />
      <div class="grid gap-3">
        <Form action={at('card/address')} csrf_token={csrf_token}>
          <Button kind="primary" pending={t('portal.saving')} wide>
            {t('portal.change_address', { state: billed.state, zip: billed.zip })}
          </Button>
        </Form>
        <Form action={at('card')} csrf_token={csrf_token}>
          <Button icon="card" pending={t('portal.opening')} wide>
            {t('portal.other_card')}
          </Button>
        </Form>
        <Button href={at()} wide>
          {t('portal.keep_card')}
        </Button>
      </div>
    </QuestionPage>
  )
}
