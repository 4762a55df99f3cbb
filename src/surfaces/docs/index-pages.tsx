import type { JSX } from 'preact'
import { TextLink } from '#design/actions'
import { SiteLayout } from '#design/layout'
import { Heading } from '#design/panels'
import { RichText } from '#design/reading'
import { siteNav } from '#http/site-menu'

const TEST_MODE = {
  href: '/docs/test-mode/',
  title: 'Test mode',
  text: 'Try purchases, renewals and refunds without real money, and point your program at it.',
}

const GUIDES = [
  {
    href: '/api/v1/docs/',
    title: 'API reference',
    text: 'Prices of an app, license verification and order lookup. Try each endpoint in the browser.',
  },
  {
    href: '/docs/sign-in/',
    title: 'Hosted sign-in',
    text: 'Sign your buyers in over OpenID Connect, and read their plan.',
  },
  {
    href: '/docs/agents/',
    title: 'Agents',
    text: 'Let Claude Code, VS Code or another agent manage your listing, prices and integration.',
  },
  {
    href: '/api/v1/schema/',
    title: 'OpenAPI description',
    text: 'The API as JSON, for generators and other programs.',
  },
  {
    href: '/changelog/',
    title: 'Changelog',
    text: 'What changed in each version.',
  },
  {
    href: '/status/',
    title: 'Status',
    text: 'Whether checkout, payments and emails work at the moment.',
  },
]

/** The index of the documentation. */
export function DocsPage({
  base_url,
  has_test_mode,
}: {
  base_url: string
  has_test_mode: boolean
}): JSX.Element {
  const guides = has_test_mode ? [...GUIDES, TEST_MODE] : GUIDES
  return (
    <SiteLayout
      title="Docs · Purser"
      description="How to sell a web app with Purser: the API, hosted sign-in and agents."
      canonical_url={`${base_url}/docs/`}
      listed
      site_nav={siteNav('docs')}
    >
      <Heading title="Docs">Guides and references for sellers and their programs.</Heading>
      <ul class="grid grid-cols-[repeat(auto-fill,minmax(min(100%,18rem),1fr))] gap-4">
        {guides.map(({ href, title, text }) => (
          <li
            key={href}
            class="grid content-start gap-1 rounded-box border border-base-300 bg-base-100 p-5"
          >
            <h2 class="font-semibold">
              <TextLink href={href}>{title}</TextLink>
            </h2>
            <p class="text-sm text-muted">{text}</p>
          </li>
        ))}
      </ul>
    </SiteLayout>
  )
}

/** What changed in each version, from CHANGELOG.md. */
export function ChangelogPage(facts: { base_url: string; clean_html: string }): JSX.Element {
  return (
    <SiteLayout
      title="Changelog · Purser"
      description="What changed in each version of Purser."
      canonical_url={`${facts.base_url}/changelog/`}
      listed
      site_nav={siteNav('docs')}
    >
      <Heading title="Changelog" />
      <RichText clean_html={facts.clean_html} />
    </SiteLayout>
  )
}
