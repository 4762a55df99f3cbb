// The ceremony of a passkey, for the pages that ask for one.
import {
  browserSupportsWebAuthn,
  startAuthentication,
  startRegistration,
} from '@simplewebauthn/browser'

/** Asks the service what to sign, the browser to sign it, and sends the answer with the form. */
async function use(form: HTMLFormElement): Promise<void> {
  const field = form.querySelector<HTMLInputElement>('input[name=credential]')
  const body = new URLSearchParams({
    csrf_token: form.querySelector<HTMLInputElement>('input[name=csrf_token]')?.value ?? '',
  })
  const answer = await fetch(form.dataset.passkeyOptions ?? '', { method: 'POST', body })
  if (!field || !answer.ok) throw new Error('the service asks for no passkey now')
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
      // Cancelled, timed out, or not allowed: which of them, the browser has said itself.
      button.disabled = false
      if (fault) fault.hidden = false
    }
  })
}

if (browserSupportsWebAuthn()) {
  for (const form of document.querySelectorAll<HTMLFormElement>('form[data-passkey]')) prepare(form)
  for (const words of document.querySelectorAll('[data-passkey-missing]')) words.remove()
}
