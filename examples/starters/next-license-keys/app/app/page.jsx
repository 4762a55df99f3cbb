import { cookies } from 'next/headers'
import { LICENSE_COOKIE, licenses } from '../../lib/purser.js'

/** Only for browsers with a license: `proxy.js` shows `/locked` to the others. */
export default async function App() {
  const key = (await cookies()).get(LICENSE_COOKIE).value
  const { product_public_id, status } = await licenses.validate(key)
  return (
    <main>
      <h1>The app is open</h1>
      <p>{`Plan: ${product_public_id} (${status})`}</p>
    </main>
  )
}
