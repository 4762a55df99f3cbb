import type { JSX } from 'preact'
import { Actions, Button } from '#design/actions'
import { Field, TextareaField } from '#design/forms'
import type { ReferenceEndpoint } from './reference.ts'

const CREDENTIALS = {
  none: [],
  basic: [
    { name: 'client_id', label: 'Client ID', type: 'text' },
    { name: 'client_secret', label: 'Client secret', type: 'password' },
  ],
  bearer: [{ name: 'access_token', label: 'Access token', type: 'password' }],
} as const

/**
 * A form that calls an endpoint from the browser, without the visitor's cookies. It needs the
 * page's script and is hidden without it.
 */
export function TryIt(facts: {
  endpoint: ReferenceEndpoint
  /** What fields are filled in with: credentials and parameters of the demo. */
  values?: Record<string, string>
}): JSX.Element {
  const { endpoint, values = {} } = facts
  const { id, method, path, auth, parameters, body } = endpoint
  return (
    <form
      class="grid max-w-xl grid-cols-1 gap-4"
      aria-label={`Try it: ${method} ${path}`}
      data-try
      data-method={method}
      data-path={path}
      data-auth={auth}
      hidden
    >
      {CREDENTIALS[auth].map(({ name, label, type }) => (
        <Field
          key={name}
          label={label}
          name={`credential.${name}`}
          id={`${id}-credential-${name}`}
          type={type}
          value={values[`demo_${name}`]}
          autocomplete="off"
          spellcheck={false}
        />
      ))}
      {parameters.map(({ path: name, in: place, is_required, example }) => (
        <Field
          key={name}
          label={name}
          name={`${place}.${name}`}
          id={`${id}-${name.toLowerCase()}`}
          value={values[`demo_${name}`]}
          placeholder={example}
          optional={!is_required}
          autocomplete="off"
          spellcheck={false}
        />
      ))}
      {body && (
        <TextareaField
          label="Body"
          name="body"
          id={`${id}-body`}
          value={body.example}
          rows={body.example.split('\n').length}
          optional={!body.is_required}
        />
      )}
      <Actions>
        <Button kind="primary">Send</Button>
      </Actions>
      <div role="status" class="grid grid-cols-1 gap-2" data-try-result hidden>
        <p class="text-sm font-medium" data-try-status />
        <pre
          class="overflow-x-auto rounded-field bg-base-200 px-4 py-3 font-mono text-xs leading-6 wrap-anywhere whitespace-pre-wrap"
          data-try-body
        />
      </div>
    </form>
  )
}
