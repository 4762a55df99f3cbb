/** Moves the focus to the list of what is wrong with a form, so that it is read first. */
export function focusErrorSummary(): void {
  document.querySelector<HTMLElement>('[data-error-summary]')?.focus()
}
