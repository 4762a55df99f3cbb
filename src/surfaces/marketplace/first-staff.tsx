import type { JSX } from 'preact'
import { Alert } from '#design/feedback'

/** Says how to add the first member of staff; shown on a service that has none. */
export function FirstStaff(): JSX.Element {
  return (
    <Alert tone="info" title="No staff yet">
      Run <code class="font-mono text-xs break-all">npm run staff:add you@example.com</code>, with
      this service’s settings, and open the link that it prints. The README’s section “First steps”
      has the rest.
    </Alert>
  )
}
