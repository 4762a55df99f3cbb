import type { ComponentChildren, JSX } from 'preact'
import { ErrorLine } from './feedback.tsx'
import { CsrfField } from './forms.tsx'
import { useLocale } from './locale.tsx'

/**
 * A form whose button asks the browser for a passkey: it creates one (`create`) or signs with one
 * (`get`). The page must name `passkey.js` as its script; without it, or without passkey support,
 * the form stays hidden.
 */
export function PasskeyForm(facts: {
  ceremony: 'create' | 'get'
  action: string
  /** Where the script gets the options to create or sign with. */
  options_url: string
  csrf_token: string
  children: ComponentChildren
}): JSX.Element {
  const { t } = useLocale()
  return (
    <form
      method="post"
      action={facts.action}
      class="grid grid-cols-1 gap-5"
      data-passkey={facts.ceremony}
      data-passkey-options={facts.options_url}
      hidden
    >
      <CsrfField token={facts.csrf_token} />
      <input type="hidden" name="credential" value="" />
      {facts.children}
      <Fault kind="failed">
        {facts.ceremony === 'create' ? t('passkey.fault_create') : t('passkey.fault')}
      </Fault>
      {facts.ceremony === 'create' && <Fault kind="known">{t('passkey.fault_known')}</Fault>}
    </form>
  )
}

/** Why there is no passkey, shown by the script. */
function Fault(facts: { kind: 'failed' | 'known'; children: string }): JSX.Element {
  return (
    <ErrorLine role="alert" data-passkey-fault={facts.kind} hidden>
      {facts.children}
    </ErrorLine>
  )
}

/** Shown where passkeys are not supported; the script removes it where they are. */
export function WithoutPasskeys({ children }: { children: ComponentChildren }): JSX.Element {
  return (
    <p class="text-sm text-muted" data-passkey-missing>
      {children}
    </p>
  )
}
