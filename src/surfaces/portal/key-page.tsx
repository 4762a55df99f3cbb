import type { JSX } from 'preact'
import { Button } from '#design/actions'
import { Form } from '#design/forms'
import { type ManageLayoutFacts, QuestionPage } from './layout.tsx'

/** Asks for confirmation before the key is replaced. */
export function ReplaceKeyPage(facts: ManageLayoutFacts & { replaces: string }): JSX.Element {
  const { at, csrf_token, app_name, replaces } = facts
  const { t } = facts.locale
  return (
    <QuestionPage {...facts} title={t('portal.replace_key')}>
      <p>{t('portal.replace_key_text')}</p>
      <p class="text-sm text-muted">{t('portal.replace_key_note', { app: app_name })}</p>
      <div class="grid gap-3">
        <Form action={at('key/')} csrf_token={csrf_token}>
          <input type="hidden" name="replaces" value={replaces} />
          <Button kind="primary" icon="key" pending={t('portal.replacing')} wide>
            {t('portal.replace_key_now')}
          </Button>
        </Form>
        <Button href={at()} wide>
          {t('portal.keep_key')}
        </Button>
      </div>
    </QuestionPage>
  )
}
