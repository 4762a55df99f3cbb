import type { JSX } from 'preact'
import { Field } from '#design/forms'
import type { EnteredDetails } from '#domain/sellers'
import { enteredFields, type FormFault } from '#http/form-errors'

/** The fields of a seller's legal name and address. */
export function SellerFields(facts: { form: EnteredDetails; faults: FormFault[] }): JSX.Element {
  const field = enteredFields(facts.form, facts.faults)
  return (
    <>
      <Field
        label="Legal name"
        {...field('legal_name')}
        hint="Your own name, or the name of your company as it is registered."
        autocomplete="organization"
        maxlength={200}
      />
      <Field
        label="Address"
        {...field('address')}
        hint="Street and number, in the United States."
        autocomplete="street-address"
        maxlength={200}
      />
      <Field label="City" {...field('city')} autocomplete="address-level2" maxlength={100} />
      <div class="grid grid-cols-1 gap-5 sm:grid-cols-2">
        <Field
          label="State"
          {...field('state')}
          autocomplete="address-level1"
          placeholder="OR"
          maxlength={40}
        />
        <Field
          label="ZIP code"
          {...field('zip')}
          autocomplete="postal-code"
          inputmode="numeric"
          maxlength={10}
        />
      </div>
    </>
  )
}
