import { type ComponentChildren, createContext, type JSX } from 'preact'
import { useContext } from 'preact/hooks'
import { ENGLISH, type Locale } from '#platform/language/locale'

/** The language of a page; pages that are not translated are in English. */
const PageLocale = createContext<Locale>(ENGLISH)

/** The language in which a component renders its own words. */
export function useLocale(): Locale {
  return useContext(PageLocale)
}

/** Renders its children in a language. */
export function InLocale(facts: { locale: Locale; children: ComponentChildren }): JSX.Element {
  return <PageLocale.Provider value={facts.locale}>{facts.children}</PageLocale.Provider>
}
