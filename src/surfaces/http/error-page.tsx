import { Button } from '#design/actions'
import { Alert } from '#design/feedback'
import { FocusLayout } from '#design/layout'
import { Heading } from '#design/panels'

const TITLES: Record<number, string> = {
  403: 'Please try that again',
  404: 'There is nothing here',
  405: 'There is nothing to open here',
  429: 'Too many requests',
  500: 'That did not work',
  503: 'Temporarily unavailable',
}

// Of other codes the refusal's own sentence is shown.
const WORDS: Record<string, string> = {
  not_found: 'The address may be mistyped, or what was here is gone.',
  method_not_allowed:
    'A form is sent to this address. Go back to the page before, and press its button.',
  internal_error:
    'The fault is on our side and has been noted. Nothing you entered was lost; try again in a minute.',
}

/** What a person sees when something cannot be done. */
export function ErrorPage(facts: {
  status: number
  code: string
  message: string
  request_id: string
}) {
  const title = TITLES[facts.status] ?? 'That is not possible'
  const words = WORDS[facts.code] ?? facts.message
  return (
    <FocusLayout title={`${title} · Purser`}>
      <div class="grid gap-3">
        <h1 class="text-2xl font-semibold tracking-tight">{title}</h1>
        <p>{words}</p>
      </div>
      <Button href="/" kind="plain">
        Go to the home page
      </Button>
      <p class="text-xs text-muted">Reference {facts.request_id}</p>
    </FocusLayout>
  )
}

/** A link whose return address is not the app's: it ends here, with no way on. */
export function MisconfiguredPage({ app_name }: { app_name: string }) {
  return (
    <FocusLayout title={`This link is misconfigured · ${app_name}`} app_name={app_name}>
      <Heading title="This link is misconfigured">
        It asks us to send you to an address that is not part of {app_name} afterwards, so we
        stopped here. Nothing was charged.
      </Heading>
      <Alert tone="info" title="Are you the seller?">
        The return address must be HTTPS on your app's registered domain. Check the{' '}
        <code class="font-mono text-xs">next</code> parameter of this link.
      </Alert>
    </FocusLayout>
  )
}
