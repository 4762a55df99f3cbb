// Creates or uses a passkey, on the pages that ask for one.
import {
  browserSupportsWebAuthn,
  startAuthentication,
  startRegistration,
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

function prepare(form: HTMLFormElement): void {
  const button = form.querySelector('button')
  const fault = form.querySelector<HTMLElement>('[data-passkey-fault]')
  form.hidden = false
  form.addEventListener('submit', async (event) => {
    event.preventDefault()
    if (!button || button.disabled) return
    button.disabled = true
    if (fault) fault.hidden = true
    try {
      await use(form)
    } catch {
      // Canceled, timed out, or not allowed: the browser has already shown which.
      button.disabled = false
      if (fault) fault.hidden = false
    }
  })
}

if (browserSupportsWebAuthn()) {
  for (const form of document.querySelectorAll<HTMLFormElement>('form[data-passkey]')) prepare(form)
  for (const note of document.querySelectorAll('[data-passkey-missing]')) note.remove()
}
