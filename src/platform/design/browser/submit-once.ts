type Pressed = { button: HTMLButtonElement; content: ChildNode[] }

const pressed = new Map<HTMLFormElement, Pressed | undefined>()

function press(button: HTMLButtonElement): Pressed {
  const content = [...button.childNodes]
  const label = button.dataset.pending
  if (label) {
    const ring = document.createElement('span')
    ring.className = 'spinner'
    ring.ariaHidden = 'true'
    button.replaceChildren(ring, label)
  }
  button.disabled = true
  return { button, content }
}

function release(): void {
  for (const entry of pressed.values()) {
    if (!entry) continue
    entry.button.disabled = false
    entry.button.replaceChildren(...entry.content)
  }
  pressed.clear()
}

/**
 * Submits a form once: its button is disabled and shows its pending text. Returning to the page
 * through the browser's history enables it again.
 */
export function startSubmitOnce(): void {
  document.addEventListener('submit', (event) => {
    const form = event.target
    if (event.defaultPrevented || !(form instanceof HTMLFormElement)) return
    if (form.method !== 'post' || (form.target && form.target !== '_self')) return
    if (pressed.has(form)) return event.preventDefault()
    const button = event.submitter
    pressed.set(form, undefined)
    // The browser omits the name and value of a disabled button.
    setTimeout(() => {
      if (button instanceof HTMLButtonElement) pressed.set(form, press(button))
    })
  })
  addEventListener('pageshow', (event) => {
    if (event.persisted) release()
  })
}
