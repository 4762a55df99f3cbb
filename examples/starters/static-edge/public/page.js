// A random value that this browser must bring back with its purchase.
const [, started] = /(?:^|; )purchase=([\w-]+)/.exec(document.cookie) ?? []
const purchase = started ?? crypto.randomUUID()
const secure = location.protocol === 'https:' ? '; Secure' : ''
// biome-ignore lint/suspicious/noDocumentCookie: the Cookie Store API is not in every browser.
document.cookie = `purchase=${purchase}; Path=/; Max-Age=86400; SameSite=Lax${secure}`

const table = document.querySelector('purser-pricing-table')
table.setAttribute('next', `${location.origin}/login?purchase=${purchase}`)

const answer = await fetch('/api/license')
const license = answer.ok ? await answer.json() : { entitled: false, status: 'not known right now' }
document.querySelector('#license').textContent = license.entitled
  ? `The app is open (${license.status}).`
  : `The app is locked (${license.status}).`
