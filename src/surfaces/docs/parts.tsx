import { h, type JSX } from 'preact'
import { Badge } from '#design/feedback'
import { Code, ReferenceTable } from '#design/reading'
import { readChapters } from './chapters.ts'
import type { PartsByName } from './library.ts'
import { AuthorizationForm, BuyLinkForm } from './link-forms.tsx'

/** A tool of the agent endpoint, for the documentation. */
export interface ToolFacts {
  name: string
  title: string
  description: string
  scope: string
  writes: boolean
  destructive: boolean
}

/** What other surfaces give to the pages: the tools of agents, and the endpoints. */
export interface DocsParts {
  tools: readonly ToolFacts[]
  endpoints: PartsByName
}

/** The parts of pages that the service fills in. */
export function partsOf(facts: DocsParts): PartsByName {
  return {
    ...facts.endpoints,
    tools: () => <Tools tools={facts.tools} />,
    errors: () => <Errors />,
    'buy-link': (values) => <BuyLinkForm values={values} />,
    'authorization-link': (values) => <AuthorizationForm values={values} />,
    'pricing-table': (values) => <PricingTable values={values} />,
  }
}

function Tools({ tools }: { tools: readonly ToolFacts[] }): JSX.Element {
  return (
    <ReferenceTable
      caption="Tools of the agent endpoint"
      columns={['Tool', 'Description', 'Scope', 'Effect']}
      rows={tools.map((tool) => ({
        key: tool.name,
        cells: [
          <span class="grid gap-0.5">
            {tool.title}
            <span class="font-mono text-xs font-normal text-muted">{tool.name}</span>
          </span>,
          firstSentence(tool.description),
          tool.scope === 'any' ? 'any' : <span class="font-mono text-xs">{tool.scope}</span>,
          <Effect {...tool} />,
        ],
      }))}
    />
  )
}

function firstSentence(text: string): string {
  return /^.*?[.!?](?=\s|$)/s.exec(text)?.[0] ?? text
}

function Effect({ writes, destructive }: ToolFacts): JSX.Element {
  if (!writes) return <Badge>Reads</Badge>
  return destructive ? <Badge tone="warn">Overwrites</Badge> : <Badge tone="info">Writes</Badge>
}

/** The live prices of the demo's app; nothing if this installation has no demo. */
function PricingTable({ values }: { values: Record<string, string> }): JSX.Element | null {
  const { demo_client_id, base_url } = values
  if (!demo_client_id) return null
  return (
    <>
      <p>The demo’s app, with its live prices and the styles of this page:</p>
      <script type="module" src={values.components_url} />
      {h(
        'purser-pricing-table',
        { 'client-id': demo_client_id },
        <a href={`${base_url}/apps/tidepool/`}>See the plans of Tidepool</a>,
      )}
    </>
  )
}

const ERRORS = '/docs/errors/'

/** Every error page: its code, and what it means. */
function Errors(): JSX.Element {
  const pages = readChapters().filter(({ path }) => path.startsWith(ERRORS) && path !== ERRORS)
  return (
    <ReferenceTable
      caption="Error codes"
      columns={['Code', 'Meaning']}
      rows={pages.map(({ path, title, description }) => ({
        key: path,
        cells: [
          <a href={path}>
            <Code>{title}</Code>
          </a>,
          description,
        ],
      }))}
    />
  )
}
