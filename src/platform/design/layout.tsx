import type { ComponentChildren, JSX, VNode } from 'preact'
import { useContext } from 'preact/hooks'
import { renderToString } from 'preact-render-to-string'
import { type Asset, asset } from '#platform/assets'
import { ENGLISH, type Locale } from '#platform/language/locale'
import { AppIcon, Logo } from './brand.tsx'
import { FocusFooter, Merchant, SiteFooter } from './footer.tsx'
import { type HeaderFacts, SiteHeader, widthOf } from './header.tsx'
import { Icon } from './icons.tsx'
import { LanguageForm } from './language-form.tsx'
import { InLocale, useLocale } from './locale.tsx'
import { Account, type AccountMenu, type Link, ViewedAs, type Viewing } from './menu.tsx'
import { Sharing } from './sharing.tsx'
import { MarkedAsTest, TestModeBanner } from './test-mode.tsx'
import { ViewingBanner } from './viewing-banner.tsx'

export type { AccountMenu, Link } from './menu.tsx'

/** The properties of every page. */
export type PageFacts = {
  /** The whole title of the document. */
  title: string
  /** Whether the page shows what is wrong with a form; its title says so first. */
  has_error?: boolean
  /** The language of the page; English by default. */
  locale?: Locale
  description?: string
  /** Whether search engines may list the page; by default they may not. */
  listed?: boolean
  canonical_url?: string
  /** The path of the picture that link previews show; Purser's own by default. */
  picture?: string | undefined
  /** What the page is about, as schema.org objects for search engines. */
  structured_data?: object[]
  /** If the script does not run, the page reloads after this many seconds. */
  refresh_seconds?: number
  /** A script for this page, in addition to the one that every page has. */
  script?: Asset
  /** One line across the top, such as that no real card is charged. */
  notice?: ComponentChildren
  children: ComponentChildren
}

/** Renders a whole HTML document for a visitor who may be signed in. */
export function renderPage(
  page: VNode,
  facts: {
    merchant?: string | undefined
    account?: AccountMenu | undefined
    /** Whether the page says that it is of test mode. */
    marked_as_test?: boolean | undefined
    viewing?: Viewing | undefined
    /** The form that changes the language. */
    language?: LanguageForm | undefined
  } = {},
): string {
  const { merchant = 'Purser', account, marked_as_test = false, viewing, language } = facts
  const whole = (
    <Merchant.Provider value={merchant}>
      <Account.Provider value={account}>
        <MarkedAsTest.Provider value={marked_as_test}>
          <ViewedAs.Provider value={viewing}>
            <LanguageForm.Provider value={language}>{page}</LanguageForm.Provider>
          </ViewedAs.Provider>
        </MarkedAsTest.Provider>
      </Account.Provider>
    </Merchant.Provider>
  )
  return `<!doctype html>${renderToString(whole)}`
}

/** The document around every page: its head, the skip link, and a notice. */
export function Page(facts: PageFacts): JSX.Element {
  const { t, language, direction } = useLocale()
  const isTestMode = useContext(MarkedAsTest)
  const title = facts.has_error ? t('layout.error_title', { title: facts.title }) : facts.title
  return (
    <html lang={language} dir={direction === 'rtl' ? direction : undefined}>
      <head>
        <meta charset="utf-8" />
        <title>{isTestMode ? t('layout.test_mode_title', { title }) : title}</title>
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        {facts.description && <meta name="description" content={facts.description} />}
        {(isTestMode || !facts.listed) && <meta name="robots" content="noindex" />}
        {facts.canonical_url && <Sharing {...facts} canonical_url={facts.canonical_url} />}
        <link rel="stylesheet" href={asset('app.css')} />
        <link rel="icon" href="/favicon.ico" sizes="32x32" />
        <link rel="icon" type="image/svg+xml" href={asset('favicon.svg')} />
        <link rel="apple-touch-icon" href="/apple-touch-icon.png" />
        <link rel="manifest" href="/site.webmanifest" />
        <script type="module" src={asset('app.js')} defer />
        {facts.script && <script type="module" src={asset(facts.script)} defer />}
        {facts.refresh_seconds !== undefined && (
          <noscript>
            <meta http-equiv="refresh" content={String(facts.refresh_seconds)} />
          </noscript>
        )}
      </head>
      <body class="flex min-h-dvh flex-col font-sans text-base">
        <a
          class="sr-only rounded-field bg-primary px-4 py-3 text-primary-content focus:not-sr-only focus:absolute focus:start-3 focus:top-3 focus:z-10"
          href="#content"
        >
          {t('layout.skip')}
        </a>
        <ViewingBanner />
        <TestModeBanner />
        {facts.notice && (
          <section
            aria-label={t('layout.notice')}
            class="border-b border-base-300 bg-wash px-5 py-2 text-center text-xs font-medium text-balance"
          >
            {facts.notice}
          </section>
        )}
        {facts.children}
      </body>
    </html>
  )
}

type FocusFacts = PageFacts & {
  /** The seller's app, to which this page belongs in the visitor's eyes. */
  app_name?: string
  app_url?: string
  /** The path of the app's icon. */
  app_icon?: string | undefined
  /** What is being bought: beside the content, or folded above it on a phone. */
  summary?: ComponentChildren
  /** What the folded summary shows, such as the total. */
  summary_line?: ComponentChildren
  /** Whether this page belongs to a sale, so that it names the merchant of record. */
  selling?: boolean
  /** Whether the page has a sign-out button of its own. */
  signs_out?: boolean
  links?: Link[]
}

function FocusHeader(facts: FocusFacts): JSX.Element {
  const { t } = useLocale()
  const merchant = useContext(Merchant)
  const name = facts.app_name && (
    <span class="flex min-w-0 items-center gap-3">
      <AppIcon name={facts.app_name} icon={facts.app_icon} />
      <span class="truncate text-lg font-semibold tracking-tight">{facts.app_name}</span>
    </span>
  )
  return (
    <header class="flex flex-wrap items-center justify-between gap-x-4 gap-y-2">
      {name && facts.app_url ? (
        <a class="min-w-0 rounded-field" href={facts.app_url}>
          {name}
        </a>
      ) : (
        (name ?? (
          <a class="rounded-field" href="/">
            <Logo />
          </a>
        ))
      )}
      {name && (
        <p class="inline-flex items-center gap-1.5 text-xs text-muted">
          <Icon name="lock" size="size-4" />
          <span>{facts.selling ? t('layout.sold_by', { merchant }) : t('layout.secured_by')}</span>
        </p>
      )}
    </header>
  )
}

/** A page with one task, under the seller's name: a step of the checkout, or sign-in. */
export function FocusLayout(facts: FocusFacts): JSX.Element {
  return (
    <InLocale locale={facts.locale ?? ENGLISH}>
      <FocusPage {...facts} />
    </InLocale>
  )
}

function FocusPage(facts: FocusFacts): JSX.Element {
  const { t } = useLocale()
  if (!facts.summary) {
    return (
      <Page {...facts}>
        <div class="mx-auto flex w-full max-w-112 grow flex-col gap-6 px-5 py-6 sm:py-[max(3rem,10vh)]">
          <FocusHeader {...facts} />
          <main
            id="content"
            class="@container grid grid-cols-1 gap-6 rounded-box border border-base-300 bg-base-100 p-5 sm:p-8"
          >
            {facts.children}
          </main>
          <FocusFooter {...facts} />
        </div>
      </Page>
    )
  }
  return (
    <Page {...facts}>
      <div class="grow bg-base-100 lg:grid lg:grid-cols-[minmax(0,1.2fr)_minmax(0,1fr)] lg:grid-rows-[auto_1fr_auto]">
        <div class="px-5 py-5 sm:px-10 lg:ms-auto lg:w-full lg:max-w-144 lg:px-12 lg:pt-12 lg:pb-10">
          <FocusHeader {...facts} />
        </div>
        <aside
          aria-label={t('layout.order_summary')}
          class="border-y border-base-300 bg-base-200 lg:col-start-2 lg:row-span-full lg:row-start-1 lg:border-y-0 lg:border-s"
        >
          <details class="peer group px-5 sm:px-10 lg:hidden">
            <summary class="flex min-h-14 items-center justify-between gap-4 rounded-field text-sm">
              <span class="inline-flex items-center gap-1.5 font-medium">
                {t('layout.order_summary')}
                <span class="group-open:rotate-180">
                  <Icon name="chevron" size="size-4" />
                </span>
              </span>
              <span class="font-semibold">{facts.summary_line}</span>
            </summary>
          </details>
          <div class="hidden px-5 pt-2 pb-6 peer-open:block sm:px-10 lg:sticky lg:top-0 lg:block lg:max-w-124 lg:px-12 lg:py-12">
            <div class="lg:rounded-box lg:border lg:border-base-300 lg:bg-base-100 lg:p-8">
              {facts.summary}
            </div>
          </div>
        </aside>
        <main
          id="content"
          class="@container grid grid-cols-1 content-start gap-7 px-5 py-7 sm:px-10 lg:col-start-1 lg:ms-auto lg:w-full lg:max-w-144 lg:px-12 lg:py-0"
        >
          {facts.children}
        </main>
        <div class="px-5 py-8 sm:px-10 lg:col-start-1 lg:ms-auto lg:w-full lg:max-w-144 lg:px-12">
          <FocusFooter {...facts} />
        </div>
      </div>
    </Page>
  )
}

type SiteFacts = PageFacts & HeaderFacts & { links?: Link[] }

/** A page of the service itself: home, a product, the account, the dashboard. */
export function SiteLayout(facts: SiteFacts): JSX.Element {
  return (
    <InLocale locale={facts.locale ?? ENGLISH}>
      <SitePage {...facts} />
    </InLocale>
  )
}

function SitePage(facts: SiteFacts): JSX.Element {
  const width = widthOf(facts)
  return (
    <Page {...facts}>
      <div class="flex grow flex-col">
        <SiteHeader {...facts} />
        <main
          id="content"
          class={`@container mx-auto grid w-full grow grid-cols-1 content-start gap-10 px-5 py-10 ${width}`}
        >
          {facts.children}
        </main>
        <SiteFooter {...facts} />
      </div>
    </Page>
  )
}
