import type { JSX } from 'preact'
import { Actions, Button } from '#design/actions'
import { CopyField } from '#design/copy'
import { Alert } from '#design/feedback'
import { Form } from '#design/forms'
import { DescriptionList, Panel } from '#design/panels'
import { isInDunning } from '#domain/licensing'
import type { ManageFacts } from './manage-facts.ts'

/** The key, always; it can be replaced until the license ends (spec: License key endpoints). */
export function KeyPanel(facts: ManageFacts): JSX.Element {
  const { t } = facts.locale
  const isOver = facts.status === 'canceled'
  return (
    <Panel title={t('portal.key_title')}>
      <CopyField id="license_key" label={t('portal.license_key')} value={facts.license_key} />
      <p class="text-sm text-muted">
        {isOver ? t('portal.key_ended') : t('portal.key_note', { app: facts.app_name })}
      </p>
      {!isOver && <KeyReplacement {...facts} />}
    </Panel>
  )
}

/** The button that replaces the key, or what comes before it. */
function KeyReplacement({ at, may_rotate, locale }: ManageFacts): JSX.Element {
  const { t } = locale
  if (!may_rotate) return <p class="text-sm text-muted">{t('portal.key_confirm_first')}</p>
  return (
    <Actions>
      <Button href={at('key/')} icon="key">
        {t('portal.replace_key')}
      </Button>
    </Actions>
  )
}

/** The card on file, with a button to change it. */
export function CardPanel(facts: ManageFacts): JSX.Element | null {
  const { card, at, csrf_token, status, locale } = facts
  const { t } = locale
  if (!card) return null
  return (
    <Panel title={t('portal.card')}>
      <DescriptionList
        items={[
          { term: t('portal.pays_with'), detail: card.name },
          { term: t('portal.expires'), detail: card.expiry },
        ]}
      />
      {card.expires_first && <Alert tone="warning">{t('portal.card_expires_first')}</Alert>}
      {!isInDunning(status) && (
        <Form action={at('card')} csrf_token={csrf_token}>
          <Actions>
            <Button icon="card" pending={t('portal.opening')}>
              {t('portal.update_card')}
            </Button>
          </Actions>
        </Form>
      )}
    </Panel>
  )
}
