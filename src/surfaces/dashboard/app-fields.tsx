import type { JSX } from 'preact'
import { Field } from '#design/forms'
import { type FormFault, faultAt } from '#http/form-errors'

/** The fields of an app's name and website. */
export function AppFields(facts: {
  form: { name?: string | undefined; url?: string | undefined }
  faults: FormFault[]
  website_hint: string
}): JSX.Element {
  const { form, faults, website_hint } = facts
  return (
    <>
      <Field
        label="Name"
        name="name"
        value={form.name}
        error={faultAt(faults, 'name')}
        autocomplete="off"
        maxlength={60}
      />
      <Field
        label="Website"
        name="url"
        type="url"
        value={form.url}
        error={faultAt(faults, 'url')}
        hint={website_hint}
        placeholder="https://example.com"
        autocomplete="url"
        spellcheck={false}
      />
    </>
  )
}
