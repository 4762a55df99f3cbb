/** Moves the focus to a form's error summary, so that it is read first. */
export function focusErrorSummary(): void {
  document.querySelector<HTMLElement>('[data-error-summary]')?.focus()
}
