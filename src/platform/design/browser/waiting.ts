/**
 * Asks for the page's own address until the answer is something other than "accepted, not yet
 * done" (202), then loads it, and so goes wherever that answer leads. Until then the part that is
 * marked `data-waiting-shows` is drawn as the latest answer draws it. Trouble on the way (no
 * network, a limit, a server error) is waited out. Needs `connect-src 'self'`.
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
      // The network is away for a moment; the next question may get through.
    }
    setTimeout(ask, seconds * 1000)
  }
  setTimeout(ask, seconds * 1000)
}

/** Puts what is new into the part of the page that shows how far things are. */
function show(html: string): void {
  const shown = document.querySelector('[data-waiting-shows]')
  if (!shown) return
  const fresh = new DOMParser().parseFromString(html, 'text/html')
  const part = fresh.querySelector('[data-waiting-shows]')
  if (part) shown.replaceChildren(...part.childNodes)
}
