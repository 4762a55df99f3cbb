import type { JSX } from 'preact'
import { Button } from './actions.tsx'
import { useLocale } from './locale.tsx'
import type { Link } from './menu.tsx'
import { PhoneFold } from './panels.tsx'

/** A menu: links in a row, of which one may be the current page. */
export function LinkList(facts: {
  label: string
  links: Link[]
  nav_class?: string
  list_class: string
  link_class: string
}): JSX.Element {
  return (
    <nav aria-label={facts.label} class={facts.nav_class}>
      <ul class={facts.list_class}>
        {facts.links.map(({ label, href, current }) => (
          <li key={href}>
            <a
              class={`inline-flex min-h-11 items-center aria-[current=page]:font-semibold ${facts.link_class}`}
              href={href}
              aria-current={current ? 'page' : undefined}
            >
              {label}
            </a>
          </li>
        ))}
      </ul>
    </nav>
  )
}

/** More links than this take several rows of a phone. */
const IN_A_ROW = 4

/**
 * The pages of one record, such as an app's: a row of links under its heading. Several rows of them
 * are folded on a phone, behind `folded`.
 */
export function SubNav({
  folded = 'More pages',
  ...facts
}: {
  label: string
  links: Link[]
  folded?: string
}): JSX.Element {
  const nav = (
    <LinkList
      {...facts}
      nav_class="border-b border-base-300"
      list_class="-mb-px flex flex-wrap gap-x-6 text-sm"
      link_class="hiddenedge border-b-2 text-muted hover:border-edge hover:text-base-content aria-[current=page]:border-primary aria-[current=page]:text-base-content"
    />
  )
  return facts.links.length > IN_A_ROW ? <PhoneFold label={folded}>{nav}</PhoneFold> : nav
}

/** An entry of a menu, with what a reader's role must permit. */
export interface MenuPage<Permission> {
  page: string
  label: string
  href: string
  needs: Permission
}

/** A row of links to the pages that their reader may open, with the current page marked. */
export function PermittedNav<Permission>(facts: {
  label: string
  pages: readonly MenuPage<Permission>[]
  current: string
  isPermitted: (needs: Permission) => boolean
}): JSX.Element {
  const links = facts.pages
    .filter(({ needs }) => facts.isPermitted(needs))
    .map(({ page, label, href }) => ({ label, href, current: page === facts.current }))
  return <SubNav label={facts.label} links={links} />
}

/** A row of links, the current one underlined: the kinds of what a page lists. */
export function LinkRow(facts: { label: string; links: Link[] }): JSX.Element {
  return (
    <LinkList
      {...facts}
      list_class="flex flex-wrap gap-x-5 text-sm"
      link_class="text-muted underline-offset-8 hover:underline aria-[current=page]:text-base-content aria-[current=page]:underline"
    />
  )
}

/** Small links in a row, such as those of a footer. */
export function SmallLinks({ links }: { links: Link[] }): JSX.Element {
  return (
    <ul class="flex flex-wrap gap-x-5">
      {links.map(({ label, href }) => (
        <li key={href}>
          <a
            class="inline-flex min-h-8 items-center underline-offset-4 hover:text-base-content hover:underline"
            href={href}
          >
            {label}
          </a>
        </li>
      ))}
    </ul>
  )
}

/** Links through a long list, by default from the latest to the oldest. */
export function Pager(facts: {
  /** Names the list, where a page has several. */
  label?: string
  newest?: string | undefined
  older?: string | undefined
  /** The list is not in the order of time. */
  from_first?: boolean
}) {
  const labels = facts.from_first
    ? { newest: 'First page', older: 'More' }
    : { newest: 'Latest', older: 'Older' }
  if (!facts.newest && !facts.older) return null
  return (
    <nav aria-label={facts.label ?? 'Pages'} class="flex flex-wrap justify-between gap-3">
      {facts.newest ? (
        <Button href={facts.newest} icon="arrow-left">
          {labels.newest}
        </Button>
      ) : (
        <span />
      )}
      {facts.older && (
        <Button href={facts.older} icon_after="arrow-right">
          {labels.older}
        </Button>
      )}
    </nav>
  )
}

/** Links to the numbered pages of a list; nothing if there is one page. */
export function PageNav(facts: {
  label: string
  page: number
  last: number
  href: (page: number) => string
}): JSX.Element | null {
  const { t } = useLocale()
  const { page, last, href } = facts
  if (last === 1) return null
  return (
    <nav aria-label={facts.label} class="flex flex-wrap items-center justify-between gap-3">
      {page > 1 ? (
        <Button href={href(page - 1)} icon="arrow-left">
          {t('pages.previous')}
        </Button>
      ) : (
        <span />
      )}
      <span class="text-sm text-muted">{t('pages.position', { page, last })}</span>
      {page < last ? (
        <Button href={href(page + 1)} icon_after="arrow-right">
          {t('pages.next')}
        </Button>
      ) : (
        <span />
      )}
    </nav>
  )
}
