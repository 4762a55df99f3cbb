import type { JSX } from 'preact'
import { Field } from '#design/forms'
import type { EnteredDetails } from '#domain/sellers'
import { type FormFault, faultAt } from '#http/form-errors'

/** The fields of a seller's legal name and address. */
export function SellerFields(facts: { form: EnteredDetails; faults: FormFault[] }): JSX.Element {
  const { form, faults } = facts
  return (
    <>
      <Field
        label="Legal name"
        name="legal_name"
        value={form.legal_name}
        error={faultAt(faults, 'legal_name')}
        hint="Your own name, or the name of your company as it is registered."
        autocomplete="organization"
        maxlength={200}
      />
      <Field
        label="Address"
        name="address"
        value={form.address}
        error={faultAt(faults, 'address')}
        hint="Street and number, in the United States."
        autocomplete="street-address"
        maxlength={200}
      />
      <Field
        label="City"
        name="city"
        value={form.city}
        error={faultAt(faults, 'city')}
        autocomplete="address-level2"
        maxlength={100}
      />
      <div class="grid grid-cols-1 gap-5 sm:grid-cols-2">
        <Field
          label="State"
          name="state"
          value={form.state}
          error={faultAt(faults, 'state')}
          autocomplete="address-level1"
          placeholder="OR"
          maxlength={40}
        />
        <Field
          label="ZIP code"
          name="zip"
          value={form.zip}
          error={faultAt(faults, 'zip')}
          autocomplete="postal-code"
          inputmode="numeric"
          maxlength={10}
        />
      </div>
    </>
  )
}
