import type { ComponentChildren, JSX } from 'preact'
import { Button } from '#design/actions'
import { Form } from '#design/forms'
import type { Locale } from '#platform/language/locale'

/** The paths of the two buttons of a consent page. */
export interface ConsentForms {
  locale: Locale
  csrf_token: string
  allow_url: string
  cancel_url: string
}

/** The form that allows what its content lists, and the form that cancels. */
export function AllowOrCancel(facts: ConsentForms & { children?: ComponentChildren }): JSX.Element {
  const { csrf_token, allow_url, cancel_url, children } = facts
  const { t } = facts.locale
  return (
    <div class="grid gap-3">
      <Form action={allow_url} csrf_token={csrf_token}>
        {children}
        <Button kind="primary" pending={t('consent.one_moment')} wide>
          {t('consent.allow')}
        </Button>
      </Form>
      <Form action={cancel_url} csrf_token={csrf_token}>
        <Button wide>{t('consent.cancel')}</Button>
      </Form>
    </div>
  )
}
