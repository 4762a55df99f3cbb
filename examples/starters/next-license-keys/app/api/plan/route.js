import { requireLicense } from '@purser/client/next'
import { keyOf, licenses } from '../../../lib/purser.js'

/** The plan of the browser as JSON; 401 or 402 with a reason without one. */
export const GET = requireLicense(licenses, { read: keyOf })(
  (_request, { product_public_id, status }) => Response.json({ product_public_id, status }),
)
