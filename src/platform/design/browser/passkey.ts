// Creates or uses a passkey, on the pages that ask for one.
import {
  browserSupportsWebAuthn,
  startAuthentication,
  startRegistration,
  WebAuthnError,
} from '@simplewebauthn/browser'

/**
 * Gets the options from the service, asks the browser to sign, and submits the result with the
 * form.
 */
async function use(form: HTMLFormElement): Promise<void> {
  const field = form.querySelector<HTMLInputElement>('input[name=credential]')
  const body = new URLSearchParams({
    csrf_token: form.querySelector<HTMLInputElement>('input[name=csrf_token]')?.value ?? '',
  })
  const answer = await fetch(form.dataset.passkeyOptions ?? '', { method: 'POST', body })
  // The person must sign in, or re-authenticate, first.
  if (answer.redirected) return location.assign(answer.url)
  if (!field || !answer.ok) throw new Error('the service did not return passkey options')
  const optionsJSON = await answer.json()
  const credential =
    form.dataset.passkey === 'create'
      ? await startRegistration({ optionsJSON })
      : await startAuthentication({ optionsJSON })
  field.value = JSON.stringify(credential)
  form.submit()
}

type FaultKind = 'failed' | 'known'

/** Whether the device has a passkey of the account already. Otherwise the browser showed why. */
function kindOf(error: unknown): FaultKind {
  if (!(error instanceof WebAuthnError)) return 'failed'
  return error.code === 'ERROR_AUTHENTICATOR_PREVIOUSLY_REGISTERED' ? 'known' : 'failed'
}

function prepare(form: HTMLFormElement): void {
  const button = form.querySelector('button')
  const faults = form.querySelectorAll<HTMLElement>('[data-passkey-fault]')
  const show = (kind: FaultKind | undefined) => {
    for (const each of faults) each.hidden = each.dataset.passkeyFault !== kind
  }
  form.hidden = false
  form.addEventListener('submit', async (event) => {
    event.preventDefault()
    if (!button || button.disabled) return
    button.disabled = true
    show(undefined)
    try {
      await use(form)
    } catch (error) {
      button.disabled = false
      show(kindOf(error))
    }
  })
}

if (browserSupportsWebAuthn()) {
  for (const form of document.querySelectorAll<HTMLFormElement>('form[data-passkey]')) prepare(form)
  for (const note of document.querySelectorAll('[data-passkey-missing]')) note.remove()
}
