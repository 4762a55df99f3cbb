import { createContext, type JSX } from 'preact'
import { useContext } from 'preact/hooks'
import type { Locale } from '#platform/language/locale'
import { AccountLine, type HeaderFacts, widthOf } from './header.tsx'
import { LanguageChoice } from './language-form.tsx'
import { useLocale } from './locale.tsx'
import type { Link } from './menu.tsx'
import { SmallLinks } from './navigation.tsx'

/** The legal documents that every page links to by default. */
function legalLinks({ t }: Locale): Link[] {
  return [
    { label: t('layout.terms'), href: '/terms/' },
    { label: t('layout.privacy'), href: '/privacy/' },
    { label: t('layout.refunds'), href: '/refunds/' },
    { label: t('layout.help'), href: '/help/' },
    { label: t('layout.affiliates'), href: '/affiliate/' },
  ]
}

/** What the footer of the service's own pages links to besides. */
function siteLinks({ t }: Locale): Link[] {
  return [
    { label: t('layout.docs'), href: '/docs/' },
    { label: t('layout.changelog'), href: '/changelog/' },
    { label: t('layout.status'), href: '/status/' },
  ]
}

/** The legal name of the merchant of record, shown in the footers. */
export const Merchant = createContext('Purser')

/** Says, on a page in another language, that the linked documents are in English. */
function LegalNote(): JSX.Element | null {
  const { t, language } = useLocale()
  return language === 'en' ? null : <p>{t('layout.legal_in_english')}</p>
}

/** The footer of a page with one task. */
export function FocusFooter(facts: FocusFooterFacts): JSX.Element {
  const locale = useLocale()
  const { t } = locale
  const merchant = useContext(Merchant)
  return (
    <footer class="grid grid-cols-1 gap-2 text-xs text-muted">
      {facts.selling && (
        <p>
          {t('layout.merchant_of_record', { merchant })}
          {facts.app_name && ` ${t('layout.provided_by', { app: facts.app_name })}`}
        </p>
      )}
      <SmallLinks links={facts.links ?? legalLinks(locale)} />
      <LegalNote />
      <LanguageChoice />
      {!facts.signs_out && <AccountLine />}
    </footer>
  )
}

/** What the footer of a page with one task depends on. */
interface FocusFooterFacts {
  app_name?: string
  selling?: boolean
  signs_out?: boolean
  links?: Link[]
}

/** The footer of the service's own pages. */
export function SiteFooter(facts: HeaderFacts & { links?: Link[] }): JSX.Element {
  const locale = useLocale()
  const { t } = locale
  const merchant = useContext(Merchant)
  return (
    <footer class="border-t border-base-300">
      <div
        class={`mx-auto flex flex-wrap items-center justify-between gap-x-8 gap-y-2 px-5 py-6 text-xs text-muted ${widthOf(facts)}`}
      >
        <p>{t('layout.merchant_of_site', { merchant })}</p>
        <SmallLinks links={facts.links ?? [...legalLinks(locale), ...siteLinks(locale)]} />
        <LegalNote />
        <LanguageChoice />
      </div>
    </footer>
  )
}
