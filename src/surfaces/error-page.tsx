import { Button } from '#design/actions'
import { FocusLayout } from '#design/layout'

const TITLES: Record<number, string> = {
  403: 'Please try that again',
  404: 'There is nothing here',
  429: 'A little too fast',
}

const WORDS: Record<number, string> = {
  404: 'The address may be mistyped, or what was here is gone.',
  429: 'There were many tries in a short time. Wait a minute, then try again.',
}

/** What a person sees when something cannot be done. */
export function ErrorPage(facts: { status: number; message: string; request_id: string }) {
  const isOurs = facts.status >= 500
  const title = isOurs ? 'That did not work' : (TITLES[facts.status] ?? 'That is not possible')
  const words = isOurs
    ? 'The fault is on our side and has been noted. Nothing you entered was lost; try again in a minute.'
    : (WORDS[facts.status] ?? facts.message)
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
