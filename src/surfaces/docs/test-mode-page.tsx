import type { JSX } from 'preact'
import { TextLink } from '#design/actions'
import { SiteLayout } from '#design/layout'
import { Chapter, Code, ReferenceTable } from '#design/reading'
import { siteNav } from '#http/site-menu'

/** The origins of the two modes. */
export interface ModeUrls {
  live: string
  test: string
}

/** What sellers can try in test mode, and how their programs tell the modes apart. */
export function TestModeDocsPage({ base_url, urls }: { base_url: string; urls: ModeUrls }) {
  return (
    <SiteLayout
      title="Test mode · Purser"
      description="Try purchases, renewals and refunds of your app without real money."
      canonical_url={`${base_url}/docs/test-mode/`}
      listed
      site_nav={siteNav('docs')}
    >
      <header class="grid max-w-2xl gap-3">
        <h1 class="text-3xl font-semibold tracking-tight">Test mode</h1>
        <p class="text-lg text-muted">
          Sell your app with test cards. Test mode has its own data, keys and clock, and nothing in
          it reaches live mode.
        </p>
      </header>
      <Chapter id="open" title="Open it">
        <p class="max-w-prose">
          Choose Test mode in the menu of your <TextLink href="/dashboard/">dashboard</TextLink>. An
          app that is new there starts with the plans and the listing that it has in live mode. It
          needs no approval. Pay with the card <Code>4242 4242 4242 4242</Code>, any future date and
          any CVC.
        </p>
      </Chapter>
      <Chapter id="api" title="Your program">
        <p class="max-w-prose">
          Paths, client ID, and the IDs of copied plans and prices are the same in both modes. The
          base URL and the client secret differ. Keep both in your settings. A secret, a license key
          or a token of one mode is refused by the other.
        </p>
        <ReferenceTable
          caption="What differs between the modes"
          columns={['Setting', 'Live mode', 'Test mode']}
          rows={rowsOf(urls).map(([what, live, test]) => ({
            key: what,
            cells: [what, live, test],
          }))}
        />
      </Chapter>
      <Chapter id="data" title="What is the same, and what is not">
        <ReferenceTable
          caption="Where each part is edited"
          columns={['Part', 'Edited in']}
          rows={PARTS.map(([part, where]) => ({ key: part, cells: [part, where] }))}
        />
      </Chapter>
    </SiteLayout>
  )
}

function rowsOf({ live, test }: ModeUrls): [what: string, live: JSX.Element, test: JSX.Element][] {
  const secret = <>Integration, in live mode</>
  return [
    ['Base URL', <Code>{live}</Code>, <Code>{test}</Code>],
    ['Issuer of hosted sign-in', <Code>{`${live}/o`}</Code>, <Code>{`${test}/o`}</Code>],
    ['Agent endpoint', <Code>{`${live}/mcp`}</Code>, <Code>{`${test}/mcp`}</Code>],
    ['Client secret', secret, <>Integration, in test mode</>],
  ]
}

const PARTS: [part: string, where: string][] = [
  ['Seller details, team, seller terms', 'Live mode. Test mode copies them each time you enter.'],
  ['Apps: name, website, address, images, archiving', 'Live mode. Test mode copies them too.'],
  [
    'Plans, prices, listing',
    'Each mode, after the first copy. To copy plans again, open Plans in test mode.',
  ],
  ['Publishing, discount codes, URLs, client secret', 'Each mode.'],
  ['Customers, licenses, sales, payouts', 'Each mode has its own.'],
]
