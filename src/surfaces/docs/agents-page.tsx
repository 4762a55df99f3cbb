import type { JSX } from 'preact'
import { TextLink } from '#design/actions'
import { Alert, Badge } from '#design/feedback'
import { SiteLayout } from '#design/layout'
import { DescriptionList } from '#design/panels'
import { Chapter, Code, CodeBlock, ReferenceTable } from '#design/reading'
import { LOCALHOST_PORT } from '#domain/grants'
import { siteNav } from '#http/site-menu'
import {
  type Agent,
  type AgentConnection,
  agentsOf,
  BRIDGED,
  bridgeOf,
  PROMPTS,
  REFUSALS,
  SCOPES,
} from './agents.ts'

/** A tool of the agent endpoint, for the documentation. */
export interface ToolFacts {
  name: string
  title: string
  description: string
  scope: string
  writes: boolean
  destructive: boolean
}

type AgentsPageFacts = AgentConnection & { signed_in: boolean; tools: readonly ToolFacts[] }

/** How to let an agent manage apps: connecting, permissions and limits. */
export function AgentsPage(facts: AgentsPageFacts): JSX.Element {
  return (
    <SiteLayout
      title="Agents · Purser"
      description="Connect Claude Code, VS Code, Codex and other agents to Purser over MCP."
      canonical_url={`${facts.base_url}/docs/agents/`}
      listed
      site_nav={siteNav('agents')}
    >
      <header class="grid max-w-2xl gap-3">
        <h1 class="text-3xl font-semibold tracking-tight">Let an agent do it</h1>
        <p class="text-lg text-muted">
          A coding agent can write your listing, set your prices and integrate your site. You choose
          its permissions. Every change is logged, and you can undo changes to your listing and
          prices.
        </p>
      </header>
      <Connect {...facts} />
      <Consent {...facts} />
      <Tools tools={facts.tools} />
      <Safety />
      <Prompts />
      <Refusals />
    </SiteLayout>
  )
}

function Connect(facts: AgentsPageFacts): JSX.Element {
  return (
    <Chapter id="connect" title="Connect your agent">
      <div class="grid max-w-prose gap-3">
        <p>
          The endpoint speaks MCP over Streamable HTTP. Agents do not register. All agents use the
          same client ID, and you choose each agent's permissions in your browser.
        </p>
      </div>
      <div class="max-w-3xl">
        <DescriptionList
          items={[
            { term: 'Endpoint', detail: <Code>{`${facts.base_url}/mcp`}</Code> },
            { term: 'Client ID', detail: <Code>{facts.client_id}</Code> },
            { term: 'Client secret', detail: 'None. Leave it empty.' },
          ]}
        />
      </div>
      <div class="grid max-w-3xl grid-cols-1 gap-8 pt-4">
        {agentsOf(facts).map((agent) => (
          <HowTo key={agent.id} agent={agent} />
        ))}
        <Bridge {...facts} />
        <Alert tone="info" title="Hosted agents">
          claude.ai, ChatGPT and other web apps redirect to their own servers, not to your computer.
          They cannot be connected.
        </Alert>
      </div>
    </Chapter>
  )
}

function HowTo({ agent }: { agent: Agent }): JSX.Element {
  return (
    <section aria-labelledby={agent.id} class="grid grid-cols-1 gap-3">
      <h3 id={agent.id} class="text-lg font-semibold">
        {agent.name}
      </h3>
      <p>{agent.before}</p>
      <CodeBlock id={`${agent.id}-code`} label={agent.label} code={agent.code} />
      <p class="text-sm text-muted">{agent.after}</p>
    </section>
  )
}

function Bridge(facts: AgentsPageFacts): JSX.Element {
  return (
    <section aria-labelledby="bridge" class="grid grid-cols-1 gap-3">
      <h3 id="bridge" class="text-lg font-semibold">
        Cursor, Claude Desktop, Gemini CLI, Windsurf
      </h3>
      <p>
        These start <Code>mcp-remote</Code>, a community program that signs in for them. It needs
        Node.js. Add this to the settings of your agent:
      </p>
      <CodeBlock id="bridge-code" label="Settings of your agent" code={bridgeOf(facts)} />
      <ul class="grid gap-1 text-sm text-muted">
        {BRIDGED.map(([name, file]) => (
          <li key={name}>
            {name}: <Code>{file}</Code>
          </li>
        ))}
      </ul>
    </section>
  )
}

function Consent(facts: AgentsPageFacts): JSX.Element {
  return (
    <Chapter id="consent" title="Permissions">
      <div class="grid max-w-prose gap-3">
        <p>
          Your browser shows the requested permissions and the redirect address. An agent can access
          only your own apps. Write scopes include read access, and the discovery tools work with
          any of the four.
        </p>
      </div>
      <div class="max-w-3xl">
        <DescriptionList items={SCOPES.map(([scope, text]) => ({ term: scope, detail: text }))} />
      </div>
      <p class="max-w-prose">
        The redirect goes to a program on your own computer: 127.0.0.1 on any port, or localhost on
        port {LOCALHOST_PORT} only. Revoke an agent's access under{' '}
        <TextLink href="/account/connections/">your connections</TextLink>. Signing out of Purser
        revokes access for all agents.
      </p>
      {!facts.signed_in && (
        <p class="max-w-prose text-sm text-muted">
          Before the first change, accept the{' '}
          <TextLink href="/dashboard/terms/">seller terms</TextLink> on your dashboard.
        </p>
      )}
    </Chapter>
  )
}

function Tools({ tools }: { tools: readonly ToolFacts[] }): JSX.Element {
  return (
    <Chapter id="tools" title="Tools">
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
      <p class="max-w-prose text-sm text-muted">
        No tool publishes an app, changes its name, address or images, or turns hosted sign-in on.
        Do that on the dashboard.
      </p>
    </Chapter>
  )
}

function firstSentence(text: string): string {
  return /^.*?[.!?](?=\s|$)/s.exec(text)?.[0] ?? text
}

function Effect({ writes, destructive }: ToolFacts): JSX.Element {
  if (!writes) return <Badge>Reads</Badge>
  return destructive ? <Badge tone="warn">Overwrites</Badge> : <Badge tone="info">Writes</Badge>
}

function Safety(): JSX.Element {
  return (
    <Chapter id="safety" title="Dry runs and undo">
      <div class="grid max-w-prose gap-3">
        <p>
          Every tool that writes takes <Code>dry_run</Code>: it returns what would change, what
          would be removed and which Buy links would stop working, and saves nothing. Ask your agent
          for a dry run before it changes prices.
        </p>
        <p>
          Every change is logged with the time, the person, the agent, and the state before and
          after. Open an app on your <TextLink href="/dashboard/">dashboard</TextLink> and choose
          Changes. Changes to a listing, plans or prices can be undone there. A rotated client
          secret cannot be restored. Change URLs under Integration.
        </p>
        <p>
          An agent never receives a new client secret. It receives a link that shows the secret once
          and expires in ten minutes.
        </p>
      </div>
    </Chapter>
  )
}

function Prompts(): JSX.Element {
  return (
    <Chapter id="prompts" title="Example prompts">
      <ul class="grid max-w-prose gap-3">
        {PROMPTS.map((prompt) => (
          <li key={prompt} class="border-s-2 border-edge ps-4">
            {prompt}
          </li>
        ))}
      </ul>
    </Chapter>
  )
}

function Refusals(): JSX.Element {
  return (
    <Chapter id="refusals" title="Errors">
      <ReferenceTable
        caption="Errors of the agent endpoint"
        columns={['Error', 'Cause', 'Next step']}
        rows={REFUSALS.map(({ status, when, remedy }) => ({
          key: status,
          cells: [status, when, remedy],
        }))}
      />
    </Chapter>
  )
}
