import type { ComponentChildren, JSX } from 'preact'
import { useContext } from 'preact/hooks'
import { ErrorLine } from './feedback.tsx'
import { Icon, type IconName } from './icons.tsx'
import { useLocale } from './locale.tsx'
import { ReadOnly, ViewedAs } from './menu.tsx'

/** The properties of every form field. `name` is also its id unless `id` differs. */
export type FieldFacts = {
  label: string
  name: string
  id?: string
  hint?: ComponentChildren
  error?: string | undefined
  /** The id of an error that is shown once for several fields. */
  shared_error?: string | undefined
  /** Fields are required by default; an optional field's label says so, or else its hint. */
  optional?: boolean | 'in hint'
  /** True in a search, where every field is optional and labels do not say so. */
  in_search?: boolean
  autocomplete?: string
  disabled?: boolean
}

type InputFacts = FieldFacts & {
  value?: string | undefined
  type?: 'text' | 'email' | 'password' | 'tel' | 'url' | 'date' | 'search' | 'number'
  inputmode?: 'text' | 'numeric' | 'decimal' | 'email' | 'tel' | 'url'
  placeholder?: string
  maxlength?: number
  spellcheck?: boolean
  autofocus?: boolean
  /** Lets the browser's script group the digits while a person types. */
  format?: 'card' | 'expiry' | 'zip' | 'digits'
  icon?: IconName
}

type Unlabeled = Omit<FieldFacts, 'label'>

function idOf(facts: Unlabeled): string {
  return facts.id ?? facts.name
}

/** The attributes that connect a control with its label, hint and error. */
function wiring(facts: Unlabeled) {
  const id = idOf(facts)
  const { hint, error, shared_error } = facts
  const described = [hint ? `${id}-hint` : '', error ? `${id}-error` : '', shared_error]
  return {
    id,
    name: facts.name,
    required: !facts.optional && !facts.in_search,
    disabled: facts.disabled ?? false,
    autocomplete: facts.autocomplete,
    'aria-describedby': described.filter(Boolean).join(' ') || undefined,
    'aria-invalid': error || shared_error ? ('true' as const) : undefined,
  }
}

function Hint({ facts }: { facts: Unlabeled }): JSX.Element | null {
  if (!facts.hint) return null
  return (
    <p id={`${idOf(facts)}-hint`} class="text-sm text-muted">
      {facts.hint}
    </p>
  )
}

function Fault({ facts }: { facts: Unlabeled }): JSX.Element | null {
  if (!facts.error) return null
  return <ErrorLine id={`${idOf(facts)}-error`}>{facts.error}</ErrorLine>
}

function Labeled({ facts, children }: { facts: FieldFacts; children: ComponentChildren }) {
  const { t } = useLocale()
  return (
    <div class="grid content-start gap-1.5">
      <div class="flex items-baseline justify-between gap-3 text-sm">
        <label for={idOf(facts)} id={`${idOf(facts)}-label`} class="font-medium">
          {facts.label}
        </label>
        {facts.optional === true && <span class="text-xs text-muted">{t('forms.optional')}</span>}
      </div>
      {children}
      <Hint facts={facts} />
      <Fault facts={facts} />
    </div>
  )
}

/** A one-line field, with its label, its hint and its error. */
export function Field(facts: InputFacts): JSX.Element {
  return (
    <Labeled facts={facts}>
      <div class="relative">
        <input
          {...wiring(facts)}
          class={`input control ${facts.format ? 'tabular-nums' : ''} ${facts.icon ? 'pe-11' : ''}`}
          // Preact types each kind of input separately; what is set here is common to all of them.
          type={(facts.type ?? 'text') as 'text'}
          value={facts.value}
          inputmode={facts.inputmode}
          placeholder={facts.placeholder}
          maxlength={facts.maxlength}
          spellcheck={facts.spellcheck}
          autofocus={facts.autofocus}
          data-format={facts.format}
        />
        {facts.icon && (
          <span class="pointer-events-none absolute inset-y-0 inset-e-0 grid w-11 place-items-center text-muted">
            <Icon name={facts.icon} />
          </span>
        )}
      </div>
    </Labeled>
  )
}

/** A multi-line field. */
export function TextareaField(
  facts: FieldFacts & { value?: string; rows?: number; maxlength?: number },
): JSX.Element {
  return (
    <Labeled facts={facts}>
      <textarea
        {...wiring(facts)}
        class="textarea control"
        rows={facts.rows ?? 4}
        maxlength={facts.maxlength}
      >
        {facts.value}
      </textarea>
    </Labeled>
  )
}

/** A choice of a file; its form has `uploads` set. */
export function FileField(facts: FieldFacts & { accept: string }): JSX.Element {
  return (
    <Labeled facts={facts}>
      <input {...wiring(facts)} type="file" accept={facts.accept} class="file-input control" />
    </Labeled>
  )
}

/** A choice of one among several. */
export function SelectField(
  facts: FieldFacts & { value?: string | undefined; options: { value: string; label: string }[] },
): JSX.Element {
  return (
    <Labeled facts={facts}>
      <select {...wiring(facts)} class="select control">
        {facts.options.map(({ value, label }) => (
          <option key={value} value={value} selected={value === facts.value}>
            {label}
          </option>
        ))}
      </select>
    </Labeled>
  )
}

/** A checkbox; the whole line is the target. */
export function CheckboxField(
  facts: Unlabeled & {
    label: ComponentChildren
    value?: string
    checked?: boolean
  },
): JSX.Element {
  return (
    <div class="grid gap-1.5">
      <label class="flex min-h-11 cursor-pointer items-start gap-3 py-2.5 text-sm">
        <input
          {...wiring(facts)}
          type="checkbox"
          class="checkbox checkbox-primary border-edge checkbox-sm mt-px"
          value={facts.value ?? 'yes'}
          checked={facts.checked ?? false}
        />
        <span>{facts.label}</span>
      </label>
      <div class="-mt-2 ps-8 empty:hidden">
        <Hint facts={facts} />
        <Fault facts={facts} />
      </div>
    </div>
  )
}

/**
 * Two or three short fields side by side, such as expiry and security code; one below the other
 * where they would not fit. Dates and choices are wider than other fields.
 */
export function FieldRow(facts: { wide?: boolean; children: ComponentChildren }): JSX.Element {
  const columns = facts.wide
    ? 'grid-cols-[repeat(auto-fit,minmax(min(10rem,100%),1fr))]'
    : 'grid-cols-[repeat(auto-fit,minmax(min(8.5rem,100%),1fr))]'
  return <div class={`grid gap-4 *:min-w-0 ${columns}`}>{facts.children}</div>
}

/** A field for a password that is chosen now, with the rule that it must meet. */
export function NewPasswordField(facts: { label: string; error: string | undefined }): JSX.Element {
  const { t } = useLocale()
  return (
    <Field
      {...facts}
      name="password"
      type="password"
      autocomplete="new-password"
      hint={t('forms.new_password_hint')}
    />
  )
}

/** Gives a password manager the account of a form; people see the name elsewhere. */
export function UsernameField({ value }: { value: string }): JSX.Element {
  return <input type="text" name="username" value={value} autocomplete="username" readonly hidden />
}

/** Values that a form sends along; `prefix` precedes their names. */
export function HiddenFields(facts: {
  values: Readonly<Record<string, string>>
  prefix?: string
}): JSX.Element {
  const { values, prefix = '' } = facts
  return (
    <>
      {Object.entries(values).map(([name, value]) => (
        <input key={name} type="hidden" name={`${prefix}${name}`} value={value} />
      ))}
    </>
  )
}

/** The token that proves that this service rendered the form for this visitor. */
export function CsrfField({ token }: { token: string }): JSX.Element {
  return <input type="hidden" name="csrf_token" value={token} />
}

/**
 * A form that changes something: posted with its CSRF token, its fields stacked. The server's error
 * messages are shown instead of the browser's. It is disabled where the service would refuse it:
 * for staff who are viewing a seller's pages (decision 103), and for a role that may only read it.
 */
export function Form(facts: {
  action: string
  csrf_token: string
  children: ComponentChildren
  /** Whether the form sends a file. */
  uploads?: boolean
}): JSX.Element {
  const isViewing = useContext(ViewedAs) !== undefined
  const isReadOnly = useContext(ReadOnly) || isViewing
  return (
    <form
      method="post"
      action={facts.action}
      enctype={facts.uploads ? 'multipart/form-data' : undefined}
      novalidate
      class="grid grid-cols-1 gap-5"
    >
      <CsrfField token={facts.csrf_token} />
      {isReadOnly ? (
        <fieldset disabled class="readonly">
          {facts.children}
        </fieldset>
      ) : (
        facts.children
      )}
    </form>
  )
}
