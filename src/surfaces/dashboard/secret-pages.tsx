import type { JSX } from 'preact'
import { Button, CopyField } from '#design/actions'
import { Alert } from '#design/feedback'
import { Form } from '#design/forms'
import { FocusLayout } from '#design/layout'
import { Heading } from '#design/panels'

type SecretPageFacts = { app_name: string; back: string }

/** Asks before a secret is replaced. */
export function AskSecretPage(
  facts: SecretPageFacts & {
    action: string
    csrf_token: string
    /** Names the secret that the form replaces. */
    replaces: string
    /** True where the same form was sent before. */
    is_stale: boolean
  },
): JSX.Element {
  return (
    <FocusLayout title={`Make a new secret · ${facts.app_name}`} app_name={facts.app_name}>
      <Heading title="Make a new secret?">
        The present client secret of {facts.app_name} stops at once. Until your server has the new
        one, it can neither check licenses nor sign anybody in.
      </Heading>
      {facts.is_stale && (
        <Alert tone="warning" title="This was done already">
          A new secret was made a moment ago and was shown once. If you did not keep it, make
          another.
        </Alert>
      )}
      <Form action={facts.action} csrf_token={facts.csrf_token}>
        <input type="hidden" name="replaces" value={facts.replaces} />
        <Button kind="danger" pending="Making it…" wide>
          Make a new secret
        </Button>
      </Form>
      <Button href={facts.back} wide>
        Keep the present one
      </Button>
    </FocusLayout>
  )
}

/** The one time that a new secret is shown. */
export function NewSecretPage(facts: SecretPageFacts & { client_secret: string }): JSX.Element {
  return (
    <FocusLayout title={`Your new secret · ${facts.app_name}`} app_name={facts.app_name}>
      <Heading title="Your new secret" done>
        Copy it to your server now: it is not shown again. The one before has stopped working.
      </Heading>
      <CopyField id="client_secret" label="Client secret" value={facts.client_secret} />
      <Button kind="primary" href={facts.back} wide>
        I have copied it
      </Button>
    </FocusLayout>
  )
}
