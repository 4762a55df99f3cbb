/**
 * Moves the focus to what a form's error is about, so that it is read first and in sight: its error
 * summary, or else the first field with an error.
 */
export function focusError(): void {
  const summary = document.querySelector<HTMLElement>('[data-error-summary]')
  const field = document.querySelector<HTMLElement>('[aria-invalid="true"]')
  const target = summary ?? field
  target?.focus()
}
