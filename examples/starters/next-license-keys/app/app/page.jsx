import { isPurserError } from '@purser/client'
import { cookies } from 'next/headers'
import { redirect } from 'next/navigation'
import { LICENSE_COOKIE, licenses } from '../../lib/purser.js'

/** `proxy.js` keeps out browsers without a license; its cache may be older than the page's. */
export default async function App() {
  const key = (await cookies()).get(LICENSE_COOKIE).value
  const license = await licenses.validate(key).catch((error) => {
    // The buyer has just replaced the key.
    if (isPurserError(error, 'unknown_key')) return undefined
    throw error
  })
  if (!license?.entitled) redirect('/locked')
  return (
    <main>
      <h1>The app is open</h1>
      <p>{`Plan: ${license.product_public_id} (${license.status})`}</p>
    </main>
  )
}
