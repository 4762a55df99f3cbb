import { createContext, type JSX } from 'preact'
import { useContext } from 'preact/hooks'
import { CsrfField } from './forms.tsx'
import { useLocale } from './locale.tsx'
import { ViewedAs } from './menu.tsx'

/** The form that changes the language of a page, and the page to return to. */
export interface LanguageForm {
  /** Each language, named in itself. */
  languages: readonly { language: string; name: string }[]
  /** The language of the reader; a page in another one, as English-only errors are, has no form. */
  current: string
  action: string
  /** Where the browser returns, if the Referer header does not say it. */
  return_to: string | undefined
  csrf_token: string
}

/** The form of the page that is rendered; undefined if the language cannot be changed. */
export const LanguageForm = createContext<LanguageForm | undefined>(undefined)

/**
 * The languages of a page as buttons, the current one marked; nothing if there is one, and nothing
 * for staff who are viewing a seller's pages.
 */
export function LanguageChoice(): JSX.Element | null {
  const { t, language: current } = useLocale()
  const form = useContext(LanguageForm)
  if (useContext(ViewedAs)) return null
  if (!form || form.languages.length < 2 || form.current !== current) return null
  return (
    <form
      method="post"
      action={form.action}
      class="flex flex-wrap items-center gap-x-4"
      aria-label={t('layout.language')}
    >
      <CsrfField token={form.csrf_token} />
      {form.return_to !== undefined && (
        <input type="hidden" name="return_to" value={form.return_to} />
      )}
      {form.languages.map(({ language, name }) =>
        language === current ? (
          <span
            key={language}
            lang={language}
            class="inline-flex min-h-8 items-center font-semibold"
            aria-current="true"
          >
            {name}
          </span>
        ) : (
          <button
            key={language}
            lang={language}
            type="submit"
            name="language"
            value={language}
            class="inline-flex min-h-8 cursor-pointer items-center rounded-field underline-offset-4 hover:text-base-content hover:underline"
          >
            {name}
          </button>
        ),
      )}
    </form>
  )
}
