import type { JSX } from 'preact'
import { Field } from '#design/forms'
import { enteredFields, type FormFault } from '#http/form-errors'

/** The fields of an app's name and website. */
export function AppFields(facts: {
  form: { name?: string | undefined; url?: string | undefined }
  faults: FormFault[]
  website_hint: string
}): JSX.Element {
  const field = enteredFields(facts.form, facts.faults)
  return (
    <>
      <Field label="Name" {...field('name')} autocomplete="off" maxlength={60} />
      <Field
        label="Website"
        {...field('url')}
        type="url"
        hint={facts.website_hint}
        placeholder="https://example.com"
        autocomplete="url"
        spellcheck={false}
      />
    </>
  )
}
