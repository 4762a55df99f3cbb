import type { JSX } from 'preact'
import { Button } from '#design/actions'
import { Form } from '#design/forms'
import { type ManageLayoutFacts, QuestionPage } from './layout.tsx'

/** Asks whether the key shall be replaced, and says what for. */
export function ReplaceKeyPage(facts: ManageLayoutFacts & { replaces: string }): JSX.Element {
  const { at, csrf_token, app_name, replaces } = facts
  return (
    <QuestionPage {...facts} title="Replace the key">
      <p>
        Do this when somebody else may have got hold of your key. You get a new one, and the old one
        stops working at that moment, on every device.
      </p>
      <p class="text-sm text-muted">
        {app_name} then asks for the new key. Your plan and what you paid stay as they are. A key
        that you merely lost is always shown on the page before this one.
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
