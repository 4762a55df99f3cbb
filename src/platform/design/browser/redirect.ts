const interactions = ['pointerdown', 'keydown', 'wheel', 'touchmove'] as const

function safeUrl(text: string | undefined): URL | undefined {
  if (!text || !URL.canParse(text, location.href)) return undefined
  const url = new URL(text, location.href)
  return url.protocol === 'https:' || url.protocol === 'http:' ? url : undefined
}

/**
 * Redirects after some seconds, unless the reader does anything on this page. The countdown is
 * visual; a screen reader announces it once at the start and once near the end.
 */
export function startRedirect(): void {
  const notice = document.querySelector<HTMLElement>('[data-redirect-url][data-redirect-seconds]')
  const url = safeUrl(notice?.dataset.redirectUrl)
  let left = Number(notice?.dataset.redirectSeconds)
  if (!notice || !url || !(left > 0)) return
  const text = notice.querySelector('[data-redirect-text]')
  const shown = notice.querySelector<HTMLElement>('[data-redirect-times]')
  const times = shown?.dataset.redirectTimes?.split('|') ?? []
  const status = notice.querySelector('[data-redirect-status]')
  const stay = notice.querySelector<HTMLButtonElement>('[data-redirect-stay]')
  const announce = (message: string | null | undefined) => {
    if (status) status.textContent = message ?? ''
  }

  const cancel = () => {
    clearInterval(timer)
    for (const type of interactions) removeEventListener(type, cancel)
    removeEventListener('pagehide', cancel)
    const stayed = stay?.dataset.redirectStay
    if (text && stayed) text.textContent = stayed
    announce(stayed)
    // Hidden only after the press has reached it: a button that disappears while it is pressed
    // would pass the press to what is below.
    setTimeout(() => stay?.remove(), 300)
  }
  const tick = () => {
    left -= 1
    if (shown) shown.textContent = times[Math.max(left, 0)] ?? ''
    if (left === 5) announce(text?.textContent)
    if (left > 0) return
    clearInterval(timer)
    location.assign(url)
  }

  const timer = setInterval(tick, 1000)
  notice.hidden = false
  announce(text?.textContent)
  for (const type of interactions) addEventListener(type, cancel, { passive: true })
  addEventListener('pagehide', cancel)
}
