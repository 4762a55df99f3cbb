import { createContext, type JSX } from 'preact'
import { useContext } from 'preact/hooks'
import { CsrfField } from './forms.tsx'
import { useLocale } from './locale.tsx'
import { Account, type AccountMenu } from './menu.tsx'

/** Whether a page says that it is of test mode. */
export const MarkedAsTest = createContext(false)

/** The banner of every page of test mode; beside live mode, with a member's way back. */
export function TestModeBanner(): JSX.Element | null {
  const { t, rich } = useLocale()
  const mode = useContext(Account)?.mode
  if (!useContext(MarkedAsTest)) return null
  return (
    <section
      aria-label={t('test_mode.name')}
      class="teststripe flex flex-wrap items-center justify-center gap-x-5 px-5 pt-2 pb-3.5 text-center text-sm"
    >
      <p>{rich('test_mode.banner', { strong: (text) => <strong>{text}</strong> })}</p>
      {mode?.to === 'live' && (
        <a class={`${CONTROL} font-semibold underline`} href={mode.href}>
          <Track is_on />
          {t('test_mode.leave')}
        </a>
      )}
    </section>
  )
}

const CONTROL =
  'inline-flex min-h-11 cursor-pointer items-center gap-2 rounded-field underline-offset-8'

/** The switch from live mode to test mode, for a member of a seller. */
export function TestModeSwitch({ mode, csrf_token }: AccountMenu): JSX.Element | null {
  const { t } = useLocale()
  if (mode?.to !== 'test') return null
  return (
    <form method="post" action={mode.action} class="flex">
      <CsrfField token={csrf_token} />
      <input type="hidden" name="return_to" value={mode.return_to} />
      <button
        class={`${CONTROL} hover:underline`}
        type="submit"
        data-pending={t('test_mode.opening')}
      >
        <Track />
        {t('test_mode.name')}
      </button>
    </form>
  )
}

function Track({ is_on = false }: { is_on?: boolean }): JSX.Element {
  const side = is_on ? 'justify-end' : 'justify-start'
  return (
    <span
      aria-hidden="true"
      class={`inline-flex h-5 w-9 shrink-0 rounded-full border border-current p-0.5 ${side}`}
    >
      <span class="size-3.5 rounded-full bg-current" />
    </span>
  )
}
