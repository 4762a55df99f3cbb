import type { JSX } from 'preact'
import { useContext } from 'preact/hooks'
import { Logo } from './brand.tsx'
import { CsrfField } from './forms.tsx'
import { Icon } from './icons.tsx'
import { useLocale } from './locale.tsx'
import { Account, type AccountMenu, type Link } from './menu.tsx'
import { LinkList, SmallLinks } from './navigation.tsx'
import { TestModeSwitch } from './test-mode.tsx'

/** What the header of a page shows. */
export type HeaderFacts = {
  /** The menu of the public pages; a signed-in person has the account's menu under it. */
  site_nav?: Link[]
  /** Whether the page has columns beside its content, as the documentation has. */
  wide?: boolean | undefined
}

/** The class for the width of a page. */
export function widthOf({ wide }: Pick<HeaderFacts, 'wide'>): string {
  return wide ? 'max-w-7xl' : 'max-w-5xl'
}

/** The header of the service's own pages: the menus, and the sign-out button. */
export function SiteHeader({ site_nav, wide }: HeaderFacts): JSX.Element {
  const { t } = useLocale()
  const account = useContext(Account)
  const own = account && site_nav ? account.links : undefined
  const links = site_nav ?? account?.links ?? []
  const sign_in: Link[] =
    site_nav && !account ? [{ label: t('header.sign_in'), href: '/signin/' }] : []
  return (
    <header class="border-b border-base-300 bg-base-100">
      <div class={`mx-auto flex flex-wrap items-center gap-x-8 px-5 py-3 ${widthOf({ wide })}`}>
        <a class="me-auto inline-flex rounded-field" href="/">
          <Logo />
        </a>
        {(links.length > 0 || account) && (
          <details class="peer md:hidden">
            <summary class="btn btn-ghost -me-3 px-3 text-sm font-medium">
              <Icon name="menu" />
              {t('header.menu')}
            </summary>
          </details>
        )}
        <div class="hidden w-full border-t border-base-300 pt-2 text-sm peer-open:mt-3 peer-open:block md:flex md:peer-open:mt-0 md:peer-open:flex md:w-auto md:items-center md:gap-6 md:border-0 md:p-0">
          <MenuLinks label={t('header.main')} links={[...links, ...sign_in]} />
          {account && !own && <AccountControls {...account} />}
        </div>
        {account && own && (
          <div class="hidden w-full border-t border-base-300 pt-2 text-sm peer-open:mt-2 peer-open:block md:mt-3 md:flex md:peer-open:flex md:flex-wrap md:items-center md:justify-between md:gap-x-6">
            <MenuLinks label={t('header.account')} links={own} />
            <AccountControls {...account} />
          </div>
        )}
      </div>
    </header>
  )
}

function MenuLinks(facts: { label: string; links: Link[] }): JSX.Element {
  return (
    <LinkList
      {...facts}
      list_class="flex flex-col md:flex-row md:flex-wrap md:items-center md:gap-x-6"
      link_class="underline-offset-8 hover:underline"
    />
  )
}

function AccountControls(account: AccountMenu): JSX.Element {
  return (
    <div class="flex flex-col md:flex-row md:items-center md:gap-x-6">
      <TestModeSwitch {...account} />
      <SignOut {...account} />
    </div>
  )
}

function SignOut({ csrf_token }: AccountMenu): JSX.Element {
  const { t } = useLocale()
  return (
    <form method="post" action="/signout/" class="flex">
      <CsrfField token={csrf_token} />
      <button
        class="inline-flex min-h-11 cursor-pointer items-center rounded-field underline-offset-8 hover:underline"
        type="submit"
        data-pending={t('header.signing_out')}
      >
        {t('header.sign_out')}
      </button>
    </form>
  )
}

/** The account's menu under a page with one task, such as a step of the checkout. */
export function AccountLine(): JSX.Element | null {
  const { t } = useLocale()
  const account = useContext(Account)
  if (!account) return null
  return (
    <div class="grid grid-cols-1 gap-1 border-t border-base-300 pt-3">
      <p class="wrap-anywhere">{t('header.signed_in_as', { email: account.email })}</p>
      <div class="flex flex-wrap items-center gap-x-5">
        <nav aria-label={t('header.account')}>
          <SmallLinks links={account.links} />
        </nav>
        <SignOut {...account} />
      </div>
    </div>
  )
}
