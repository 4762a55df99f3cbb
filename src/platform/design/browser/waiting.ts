/**
 * Asks for the page's own address until the answer is something other than "accepted, not yet
 * done" (202), then loads it, and so goes wherever that answer leads. Trouble on the way (no
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
    } catch {
      // The network is away for a moment; the next question may get through.
    }
    setTimeout(ask, seconds * 1000)
  }
  setTimeout(ask, seconds * 1000)
}
