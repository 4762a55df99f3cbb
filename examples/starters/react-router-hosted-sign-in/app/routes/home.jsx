import { buyLink } from '@purser/client'
import { handled, listPrices, planOf, purser, sessionOf, site } from '../purser.server.js'

export const loader = handled(async ({ request }) => {
  const session = await sessionOf(request)
  const [{ app_name, prices }, plan] = await Promise.all([listPrices(), planOf(session)])
  const links = prices.map(({ public_id, product_name, amount, frequency }) => ({
    text: `Buy ${product_name} for $${amount} ${frequency ? `per ${frequency}` : 'once'}`,
    href: buyLink(purser.base_url, public_id, { next: `${site}/login` }),
  }))
  return { app_name, links, plan: plan ?? null }
})

export default function Home({ loaderData: { app_name, links, plan } }) {
  return (
    <main>
      <title>{app_name}</title>
      <h1>{app_name}</h1>
      {plan ? <Plan {...plan} /> : <a href="/login">Sign in</a>}
      {plan && (
        <ul>
          {links.map(({ text, href }) => (
            <li key={href}>
              <a href={href}>{text}</a>
            </li>
          ))}
        </ul>
      )}
    </main>
  )
}

function Plan({ version, status }) {
  return (
    <form method="post" action="/logout">
      <p>{status === 'none' ? 'You have no plan.' : `Your plan: ${version} (${status})`}</p>
      <button type="submit">Sign out</button>
    </form>
  )
}
