import type { ComponentChildren, ComponentProps, JSX } from 'preact'
import { ENGLISH, type Locale } from '#platform/language/locale'
import { Icon } from './icons.tsx'
import { useLocale } from './locale.tsx'

const tones = {
  info: { edge: 'border-info', ink: 'text-info', icon: 'info', role: 'status' },
  success: { edge: 'border-success', ink: 'text-success', icon: 'check', role: 'status' },
  warning: { edge: 'border-warning', ink: 'text-warning', icon: 'warning', role: 'alert' },
  error: { edge: 'border-error', ink: 'text-error', icon: 'error', role: 'alert' },
} as const

/** A message about what just happened; warnings and errors interrupt a screen reader. */
export function Alert(facts: {
  tone: keyof typeof tones
  title?: string
  children?: ComponentChildren
}): JSX.Element {
  const { edge, ink, icon, role } = tones[facts.tone]
  return (
    <div
      role={role}
      class={`flex gap-3 rounded-field border ${edge} bg-base-100 px-4 py-3 text-sm`}
    >
      <span class={`mt-px ${ink}`}>
        <Icon name={icon} />
      </span>
      <div class="@container grid grow gap-0.5">
        {facts.title && <p class="font-semibold">{facts.title}</p>}
        {facts.children && <div class="text-base-content">{facts.children}</div>}
      </div>
    </div>
  )
}

/** A message about what was just done, if there is one. */
export function NoteAlert(facts: {
  note: { tone: keyof typeof tones; title?: string; text: string } | undefined
}): JSX.Element | null {
  if (!facts.note) return null
  const { text, ...alert } = facts.note
  return <Alert {...alert}>{text}</Alert>
}

/** The errors of a form, as links to its fields; it takes the focus when the page opens. */
export function ErrorSummary(facts: {
  errors: { id: string; message: string }[]
  title?: string
}): JSX.Element | null {
  const { t } = useLocale()
  if (facts.errors.length === 0) return null
  return (
    <div
      role="alert"
      tabindex={-1}
      class="rounded-field border border-error bg-base-100 px-4 py-3 text-sm outline-error"
      aria-labelledby="error-summary-title"
      data-error-summary
    >
      <h2 id="error-summary-title" class="font-semibold text-error">
        {facts.title ?? t('forms.check_fields')}
      </h2>
      <ul class="mt-1 grid">
        {facts.errors.map(({ id, message }) => (
          <li key={id}>
            <a class="textlink inline-block py-1" href={`#${id}`}>
              {message}
            </a>
          </li>
        ))}
      </ul>
    </div>
  )
}

/** One line that says what is wrong, beside what it is about. */
export function ErrorLine({
  children,
  ...attributes
}: Omit<ComponentProps<'p'>, 'children'> & { children: string }): JSX.Element {
  return (
    <p {...attributes} class="flex gap-1.5 text-sm font-medium text-error">
      <span class="mt-0.5">
        <Icon name="error" size="size-4" />
      </span>
      {children}
    </p>
  )
}

const badges = {
  neutral: 'border-base-300 text-base-content',
  good: 'border-success text-success',
  warn: 'border-warning text-warning',
  bad: 'border-error text-error',
  info: 'border-info text-info',
} as const

/** The tone of a badge. */
export type BadgeTone = keyof typeof badges

/** One or two words about a state; `wraps` is for text that may be longer than a line. */
export function Badge(facts: {
  tone?: BadgeTone
  wraps?: boolean
  children: ComponentChildren
}): JSX.Element {
  const shape = facts.wraps ? 'h-auto min-h-6 py-0.5 wrap-anywhere' : 'whitespace-nowrap'
  return (
    <span
      class={`badge ${badges[facts.tone ?? 'neutral']} bg-base-100 text-xs font-medium ${shape}`}
    >
      {/* A badge keeps its children apart, and these may be an amount among words. */}
      <span>{facts.children}</span>
    </span>
  )
}

/** How the status of a license, an entitlement or a payment looks. */
const tonesOfStatus = {
  active: 'good',
  trialing: 'info',
  one_time_active: 'good',
  free: 'neutral',
  preview: 'info',
  none: 'neutral',
  past_due: 'warn',
  unpaid: 'bad',
  paused: 'warn',
  canceled: 'neutral',
} as const satisfies Record<string, BadgeTone>

type KnownStatus = keyof typeof tonesOfStatus

function isKnown(status: string): status is KnownStatus {
  return Object.hasOwn(tonesOfStatus, status)
}

/** The status of a license in words, for a choice. */
export function statusLabel(status: string, { t }: Locale = ENGLISH): string {
  return isKnown(status) ? t(`status.${status}`) : status
}

/** The status of a license or entitlement, in words; an unknown status is shown as it is. */
export function StatusBadge({ status }: { status: string }): JSX.Element {
  const tone = isKnown(status) ? tonesOfStatus[status] : 'neutral'
  return <Badge tone={tone}>{statusLabel(status, useLocale())}</Badge>
}

/** A spinner; put what is pending beside it. */
export function Spinner(): JSX.Element {
  return <span class="spinner" aria-hidden="true" />
}

/**
 * A page that waits: it requests its own URL every two seconds and is left as soon as the response
 * is no longer 202. Without scripts the reader has the link, and the page may set
 * `refresh_seconds`.
 */
export function Processing(facts: {
  title: string
  href: string
  children: ComponentChildren
}): JSX.Element {
  const { t } = useLocale()
  return (
    <section class="grid justify-items-start gap-4" data-waiting-seconds="2">
      <span class="text-xl text-primary">
        <Spinner />
      </span>
      <div role="status" class="grid gap-2" data-waiting-shows>
        <h1 class="text-2xl font-semibold">{facts.title}</h1>
        <div class="text-muted">{facts.children}</div>
      </div>
      <a class="textlink inline-flex min-h-11 items-center text-sm" href={facts.href}>
        {t('waiting.check_now')}
      </a>
    </section>
  )
}

/** Enough to read the page that redirects. */
const REDIRECT_SECONDS = 12

/**
 * Announces an automatic redirect, and lets the reader stay. It shows only where the script runs,
 * so the page also needs its own link to the same place.
 */
export function RedirectNotice(facts: { url: string; destination: string }): JSX.Element {
  const { t, rich } = useLocale()
  const { destination } = facts
  const times = Array.from({ length: REDIRECT_SECONDS + 1 }, (_, count) =>
    t('duration.seconds', { count }),
  )
  const time = (
    <span class="tabular-nums" data-redirect-times={times.join('|')}>
      {times.at(-1)}
    </span>
  )
  return (
    <div
      class="flex flex-wrap items-center justify-between gap-x-4 text-sm text-muted"
      data-redirect-url={facts.url}
      data-redirect-seconds={REDIRECT_SECONDS}
      hidden
    >
      <p aria-hidden="true" data-redirect-text>
        {rich('redirect.countdown', { destination, time })}
      </p>
      <p class="sr-only" role="status" data-redirect-status />
      <button
        type="button"
        class="textlink min-h-11 cursor-pointer"
        data-redirect-stay={t('redirect.staying')}
      >
        {t('redirect.stay')}
      </button>
    </div>
  )
}
