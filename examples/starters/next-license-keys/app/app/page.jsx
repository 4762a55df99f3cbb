import { cookies } from 'next/headers'
import { redirect } from 'next/navigation'
import { LICENSE_COOKIE, licenses } from '../../lib/purser.js'

/** `proxy.js` keeps out browsers without a license; its cache may be older than the page's. */
export default async function App() {
  const key = (await cookies()).get(LICENSE_COOKIE).value
  const { entitled, product_public_id, status } = await licenses.validate(key)
  if (!entitled) redirect('/locked')
  return (
    <main>
      <h1>The app is open</h1>
      <p>{`Plan: ${product_public_id} (${status})`}</p>
    </main>
  )
}
