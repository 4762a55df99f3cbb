import type { JSX } from 'preact'
import { Icon } from './icons.tsx'
import { useLocale } from './locale.tsx'

/** A value to copy, such as a license key: selectable, and copied with one press. */
export function CopyField(facts: { label: string; value: string; id: string }): JSX.Element {
  const { t, lower } = useLocale()
  return (
    <div class="grid gap-1.5">
      <label for={facts.id} class="text-sm font-medium">
        {facts.label}
      </label>
      <div class="flex items-center gap-2 rounded-field border border-edge bg-base-200 p-1.5 ps-3">
        <output
          id={facts.id}
          class="min-w-0 grow font-mono text-sm break-all whitespace-pre-line select-all"
        >
          {facts.value}
        </output>
        <CopyButton
          id={facts.id}
          label={t('copy.copy_label', { label: lower(facts.label) })}
          look="border-base-300 bg-base-100 hover:border-base-content"
        />
      </div>
    </div>
  )
}

/** Copies the text of an element, where scripts run; `label` is the button's accessible name. */
export function CopyButton(facts: { id: string; label: string; look: string }): JSX.Element {
  const { t } = useLocale()
  return (
    <>
      <button
        type="button"
        class={`btn btn-sm gap-1.5 text-sm font-medium ${facts.look}`}
        data-copy={facts.id}
        data-copied={t('copy.copied')}
        aria-label={facts.label}
        hidden
      >
        <Icon name="copy" size="size-4" />
        {t('copy.copy')}
      </button>
      <span class="sr-only" role="status" data-copy-status />
    </>
  )
}
