import type { JSX } from 'preact'
import { Button } from '#design/actions'
import { CopyField } from '#design/copy'
import { Alert } from '#design/feedback'
import { Form } from '#design/forms'
import { FocusLayout } from '#design/layout'
import { Heading } from '#design/panels'

interface SecretPageFacts {
  app_name: string
  app_icon: string | undefined
  back: string
}

/** Asks for confirmation before a secret is rotated. */
export function RotateSecretPage(
  facts: SecretPageFacts & {
    action: string
    csrf_token: string
    /** The ID of the secret that the form replaces. */
    replaces: string
    /** True for an app's first secret, which replaces none. */
    is_first: boolean
    /** True if the same form was sent before. */
    is_stale: boolean
  },
): JSX.Element {
  const label = facts.is_first ? 'Create secret' : 'Rotate secret'
  return (
    <FocusLayout
      title={`${label} · ${facts.app_name}`}
      app_name={facts.app_name}
      app_icon={facts.app_icon}
    >
      <Heading title={`${label}${facts.is_first ? '' : '?'}`}>
        {facts.is_first
          ? `Your server uses the secret to validate licenses of ${facts.app_name}. It is shown once.`
          : `The current client secret of ${facts.app_name} stops working immediately. Your server cannot validate licenses or sign buyers in until it has the new secret.`}
      </Heading>
      {facts.is_stale && (
        <Alert tone="warning" title="The secret was already rotated">
          A new secret was created a moment ago and shown once. If you did not save it, rotate
          again.
        </Alert>
      )}
      <Form action={facts.action} csrf_token={facts.csrf_token}>
        <input type="hidden" name="replaces" value={facts.replaces} />
        <Button kind={facts.is_first ? 'primary' : 'danger'} pending="One moment…" wide>
          {label}
        </Button>
      </Form>
      <Button href={facts.back} wide>
        Cancel
      </Button>
    </FocusLayout>
  )
}

/** Shows a new secret, once. */
export function NewSecretPage(
  facts: SecretPageFacts & { client_secret: string; is_first: boolean },
): JSX.Element {
  return (
    <FocusLayout
      title={`Your new secret · ${facts.app_name}`}
      app_name={facts.app_name}
      app_icon={facts.app_icon}
    >
      <Heading title="Your new secret" done>
        Copy it to your server now. It is not shown again.
        {!facts.is_first && ' The previous secret no longer works.'}
      </Heading>
      <CopyField id="client_secret" label="Client secret" value={facts.client_secret} />
      <Button kind="primary" href={facts.back} wide>
        Done
      </Button>
    </FocusLayout>
  )
}
