async function copy(from: HTMLElement): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(from.textContent?.trim() ?? '')
    return true
  } catch {
    // The clipboard is refused or absent: leave the value selected, ready for the keyboard.
    getSelection()?.selectAllChildren(from)
    return false
  }
}

/** Shows the copy buttons, which are hidden where scripts do not run. */
export function startCopyButtons(): void {
  for (const button of document.querySelectorAll<HTMLButtonElement>('button[data-copy]')) {
    const from = document.getElementById(button.dataset.copy ?? '')
    const status = button.parentElement?.querySelector('[data-copy-status]')
    if (!from) continue
    const content = [...button.childNodes]
    const done = button.dataset.copied ?? ''
    let timer: ReturnType<typeof setTimeout> | undefined
    button.addEventListener('click', async () => {
      if (!(await copy(from))) return
      button.replaceChildren(done)
      if (status) status.textContent = done
      clearTimeout(timer)
      timer = setTimeout(() => {
        button.replaceChildren(...content)
        if (status) status.textContent = ''
      }, 2500)
    })
    button.hidden = false
  }
}
