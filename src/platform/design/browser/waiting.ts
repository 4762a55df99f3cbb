/**
 * Requests the page's own URL until the response is no longer 202 ("accepted, not yet done"), then
 * loads it and follows where it leads. Until then, the part marked `data-waiting-shows` is replaced
 * by the latest response's if it differs, as a screen reader reads a status that is replaced.
 * Failures (no network, a limit, a server error) are retried. Needs `connect-src 'self'`.
 */
export function startWaiting(): void {
  const waiting = document.querySelector<HTMLElement>('[data-waiting-seconds]')
  const seconds = Number(waiting?.dataset.waitingSeconds)
  if (!(seconds > 0)) return

  const ask = async () => {
    try {
      const answer = await fetch(location.href, { redirect: 'manual', cache: 'no-store' })
      const wait = answer.status === 202 || answer.status === 429 || answer.status >= 500
      if (!wait) return location.replace(location.href)
      if (answer.status === 202) show(await answer.text())
    } catch {
      // The network is unavailable for a moment; the next request may succeed.
    }
    setTimeout(ask, seconds * 1000)
  }
  setTimeout(ask, seconds * 1000)
}

/** Updates the part of the page that shows the progress. */
function show(html: string): void {
  const shown = document.querySelector('[data-waiting-shows]')
  if (!shown) return
  const fresh = new DOMParser().parseFromString(html, 'text/html')
  const part = fresh.querySelector('[data-waiting-shows]')
  if (part && !part.isEqualNode(shown)) shown.replaceChildren(...part.childNodes)
}
