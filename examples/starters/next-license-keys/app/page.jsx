import { connection } from 'next/server'
import { listPrices } from '../lib/purser.js'

export default async function Home() {
  // Prices are read when the site is used, not when it is built.
  await connection()
  const { app_name, prices } = await listPrices()
  return (
    <main>
      <h1>{app_name}</h1>
      <ul>
        {prices.map(({ public_id, product_name, amount, frequency }) => (
          <li key={public_id}>
            {`${product_name}, $${amount} ${frequency ? `per ${frequency}` : 'once'}: `}
            <a href={`/buy/${public_id}`}>{`Buy ${product_name}`}</a>
          </li>
        ))}
      </ul>
      <a href="/app">Open the app</a>
    </main>
  )
}
