import type { JSX } from 'preact'
import { Button } from '#design/actions'
import { Form } from '#design/forms'
import { type ManageLayoutFacts, QuestionPage } from './layout.tsx'

/** Asks for confirmation before the key is replaced. */
export function ReplaceKeyPage(facts: ManageLayoutFacts & { replaces: string }): JSX.Element {
  const { at, csrf_token, app_name, replaces } = facts
  return (
    <QuestionPage {...facts} title="Replace the key">
      <p>
        Replace your key if someone else may have it. You receive a new key, and the old key stops
        working immediately on every device.
      </p>
      <p class="text-sm text-muted">
        {app_name} then asks for the new key. Your plan and payments do not change. If you only lost
        your key, it is shown on your purchase page.
      </p>
      <div class="grid gap-3">
        <Form action={at('key/')} csrf_token={csrf_token}>
          <input type="hidden" name="replaces" value={replaces} />
          <Button kind="primary" icon="key" pending="Replacing…" wide>
            Replace the key now
          </Button>
        </Form>
        <Button href={at()} wide>
          Keep the key
        </Button>
      </div>
    </QuestionPage>
  )
}
