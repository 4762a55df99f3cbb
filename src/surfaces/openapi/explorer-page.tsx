import type { JSX } from 'preact'
import { TextLink } from '#design/actions'
import { SiteLayout } from '#design/layout'
import { siteNav } from '#http/site-menu'

/** The API explorer. */
export function ExplorerPage(facts: {
  base_url: string
  version: string
  assets: string
}): JSX.Element {
  return (
    <SiteLayout
      title="API · Purser"
      description="The Purser API: live prices and license verification for web apps."
      canonical_url={`${facts.base_url}/api/v1/docs/`}
      listed
      site_nav={siteNav('api')}
    >
      <link rel="stylesheet" href={`${facts.assets}/explorer.css`} />
      <link rel="stylesheet" href={`${facts.assets}/endpoints.css`} />
      <header class="grid max-w-2xl gap-3">
        <h1 class="text-3xl font-semibold tracking-tight">Purser API</h1>
        <p class="text-lg text-muted">Live prices and license verification for web apps.</p>
        <ul class="flex flex-wrap gap-x-6 gap-y-1 text-sm">
          <li>Version {facts.version}</li>
          <li>
            <TextLink href="/api/v1/schema/">OpenAPI description (JSON)</TextLink>
          </li>
          <li>
            <TextLink href="/">Home</TextLink>
          </li>
        </ul>
      </header>
      <div id="explorer" data-description="/api/v1/schema/">
        <noscript>
          <p>
            This page needs JavaScript. The OpenAPI description is a plain file at the link above.
          </p>
        </noscript>
      </div>
      <script src={`${facts.assets}/swagger-ui-bundle.js`} defer />
      <script src={`${facts.assets}/explorer.js`} defer />
    </SiteLayout>
  )
}
