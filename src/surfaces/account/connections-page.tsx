import type { JSX } from 'preact'
import { Button, TextLink } from '#design/actions'
import { Alert } from '#design/feedback'
import { Form } from '#design/forms'
import { type Link, SiteLayout } from '#design/layout'
import { Day } from '#design/money'
import { Heading, Panel, RecordRows } from '#design/panels'
import type { AgentGrant, AgentScope, ConnectedApp, Scope } from '#domain/grants'

/** What an agent may do by each scope, as the end of a sentence. */
const MAY: Record<AgentScope, string> = {
  'integrations.read': 'see how your apps are connected',
  'integrations.write': 'change how your apps are connected and replace client secrets',
  'listing.read': 'see your listings and plans',
  'listing.write': 'change your listings, plans and prices',
}

const KNOWS: Record<Scope, string> = {
  openid: 'a private id of yours',
  entitlements: 'whether you may use it, and on which plan',
}

interface ConnectionsFacts {
  nav: Link[]
  csrf_token: string
  agents: AgentGrant[]
  apps: ConnectedApp[]
  news: string | undefined
}

/** What programs hold in this account's name: agents that manage apps, and apps signed in to. */
export function ConnectionsPage(facts: ConnectionsFacts): JSX.Element {
  return (
    <SiteLayout title="Connections · Purser" nav={facts.nav}>
      <Heading title="Connections">
        Agents that you let manage your apps, and apps that you signed in to with your account.
      </Heading>
      {facts.news && <Alert tone="success">{facts.news}</Alert>}
      <AgentsPanel {...facts} />
      <AppsPanel {...facts} />
    </SiteLayout>
  )
}

function AgentsPanel({ csrf_token, agents }: ConnectionsFacts): JSX.Element {
  return (
    <Panel title="Agents">
      {agents.length === 0 ? (
        <p class="text-sm text-muted">
          No agent has access. <TextLink href="/docs/agents">Connect one</TextLink>, and it can
          manage your apps as far as you allow it.
        </p>
      ) : (
        <>
          <RecordRows
            records={agents.map((agent) => ({
              key: agent.id,
              title: `An agent at ${agent.callback}`,
              details: [
                `May ${listed(mayDo(agent.scopes))}`,
                <>
                  Allowed on <Day date={agent.granted_at} /> in {agent.browser}
                </>,
                <>
                  Last seen on <Day date={agent.renewed_at} />
                </>,
                <>
                  Ends on <Day date={agent.expires_at} /> unless it is used before
                </>,
              ],
              action: (
                <Form action="/account/connections/agents/end" csrf_token={csrf_token}>
                  <input type="hidden" name="agent" value={agent.id} />
                  <Button kind="danger" pending="Ending…" describedby={`record-${agent.id}`}>
                    End access
                  </Button>
                </Form>
              ),
            }))}
          />
          <p class="text-sm text-muted">
            Signing out of Purser, in any browser, ends it for all of them.
          </p>
        </>
      )}
    </Panel>
  )
}

function AppsPanel({ csrf_token, apps }: ConnectionsFacts): JSX.Element {
  return (
    <Panel title="Apps">
      {apps.length === 0 ? (
        <p class="text-sm text-muted">
          You have not signed in to an app yet. One that lets you sign in with Purser is listed here
          once you do.
        </p>
      ) : (
        <>
          <RecordRows
            records={apps.map((app) => ({
              key: app.client_id,
              title: app.app_name,
              details: [
                `Knows ${listed(app.scopes.map((scope) => KNOWS[scope]))}`,
                <>
                  Since <Day date={app.granted_at} />
                </>,
              ],
              action: (
                <Form action="/account/connections/apps/end" csrf_token={csrf_token}>
                  <input type="hidden" name="app" value={app.client_id} />
                  <Button
                    kind="danger"
                    pending="Disconnecting…"
                    describedby={`record-${app.client_id}`}
                  >
                    Disconnect
                  </Button>
                </Form>
              ),
            }))}
          />
          <p class="text-sm text-muted">
            Disconnecting signs you out of the app. What you bought stays yours.
          </p>
        </>
      )}
    </Panel>
  )
}

/** The scopes in words; to change something includes to see it. */
function mayDo(scopes: AgentScope[]): string[] {
  const isImplied = (scope: AgentScope) =>
    scopes.some((each) => each !== scope && each === scope.replace('.read', '.write'))
  return scopes.filter((scope) => !isImplied(scope)).map((scope) => MAY[scope])
}

function listed(parts: string[]): string {
  return new Intl.ListFormat('en-US').format(parts)
}
