import { Button } from '#design/actions'
import { Alert } from '#design/feedback'
import { FocusLayout } from '#design/layout'
import { Heading } from '#design/panels'

const TITLES: Record<number, string> = {
  403: 'Request refused',
  404: 'Page not found',
  405: 'Page not found',
  429: 'Too many requests',
  500: 'Something went wrong',
  503: 'Temporarily unavailable',
}

// Messages of these codes for pages; other codes show the error's own message.
const MESSAGES: Record<string, string> = {
  not_found: 'Check the address. The page may have been moved or removed.',
  method_not_allowed: 'This address accepts a form only. Go back and submit the form again.',
  internal_error: 'The error is on our side and was logged. Try again in a minute.',
}

/** The page of an error. */
export function ErrorPage(facts: {
  status: number
  code: string
  message: string
  request_id: string
}) {
  const title = TITLES[facts.status] ?? 'Request failed'
  const message = MESSAGES[facts.code] ?? facts.message
  return (
    <FocusLayout title={`${title} · Purser`}>
      <div class="grid gap-3">
        <h1 class="text-2xl font-semibold tracking-tight">{title}</h1>
        <p>{message}</p>
      </div>
      <Button href="/" kind="plain">
        Go to the home page
      </Button>
      <p class="text-xs text-muted">Reference {facts.request_id}</p>
    </FocusLayout>
  )
}

/** The page for a buy link whose return address is not registered with the app. */
export function MisconfiguredPage({ app_name }: { app_name: string }) {
  return (
    <FocusLayout title={`This link is misconfigured · ${app_name}`} app_name={app_name}>
      <Heading title="This link is misconfigured">
        Its return address does not belong to {app_name}, so checkout was stopped. Nothing was
        charged.
      </Heading>
      <Alert tone="info" title="Are you the seller?">
        The return address must be HTTPS on your app's registered domain. Check the{' '}
        <code class="font-mono text-xs">next</code> parameter of this link.
      </Alert>
    </FocusLayout>
  )
}
