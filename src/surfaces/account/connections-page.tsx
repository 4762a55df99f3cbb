import type { JSX } from 'preact'
import { Button, TextLink } from '#design/actions'
import { Alert } from '#design/feedback'
import { Form } from '#design/forms'
import { SiteLayout } from '#design/layout'
import { Day } from '#design/money'
import { Heading, Panel, RecordRows } from '#design/panels'
import type { AgentGrant, AgentScope, ConnectedApp, Scope } from '#domain/grants'

/** What each scope lets an agent do, to complete a sentence. */
const MAY: Record<AgentScope, string> = {
  'integrations.read': 'read integration settings',
  'integrations.write': 'change integration settings and replace client secrets',
  'listing.read': 'read listings and plans',
  'listing.write': 'change listings, plans and prices',
}

const KNOWS: Record<Scope, string> = {
  openid: 'a private ID for your account',
  entitlements: 'your plan and whether it is active',
}

interface ConnectionsFacts {
  csrf_token: string
  agents: AgentGrant[]
  apps: ConnectedApp[]
  note: string | undefined
}

/** Everything with access to the account: agents that manage apps, and apps signed in to. */
export function ConnectionsPage(facts: ConnectionsFacts): JSX.Element {
  return (
    <SiteLayout title="Connections · Purser">
      <Heading title="Connections">
        Agents that can manage your apps, and apps that you sign in to with your account.
      </Heading>
      {facts.note && <Alert tone="success">{facts.note}</Alert>}
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
          No agent has access. <TextLink href="/docs/agents">Connect one</TextLink> to manage your
          apps with the permissions that you allow.
        </p>
      ) : (
        <>
          <RecordRows
            records={agents.map((agent) => ({
              key: agent.id,
              title: `Agent at ${agent.callback}`,
              details: [
                `Can ${listed(mayDo(agent.scopes))}`,
                <>
                  Allowed on <Day date={agent.granted_at} /> in {agent.browser}
                </>,
                <>
                  Last seen on <Day date={agent.renewed_at} />
                </>,
                <>
                  Expires on <Day date={agent.expires_at} /> if not used before
                </>,
              ],
              action: (
                <Form action="/account/connections/agents/end" csrf_token={csrf_token}>
                  <input type="hidden" name="agent" value={agent.id} />
                  <Button kind="danger" pending="Revoking…" describedby={`record-${agent.id}`}>
                    Revoke access
                  </Button>
                </Form>
              ),
            }))}
          />
          <p class="text-sm text-muted">
            Signing out of Purser in any browser revokes access for all agents.
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
          No apps yet. Apps that you sign in to with Purser appear here.
        </p>
      ) : (
        <>
          <RecordRows
            records={apps.map((app) => ({
              key: app.client_id,
              title: app.app_name,
              details: [
                `Receives ${listed(app.scopes.map((scope) => KNOWS[scope]))}`,
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
            Disconnecting signs you out of the app. Your purchases are not affected.
          </p>
        </>
      )}
    </Panel>
  )
}

/** The scopes as phrases; a write scope implies its read scope. */
function mayDo(scopes: AgentScope[]): string[] {
  const isImplied = (scope: AgentScope) =>
    scopes.some((each) => each !== scope && each === scope.replace('.read', '.write'))
  return scopes.filter((scope) => !isImplied(scope)).map((scope) => MAY[scope])
}

function listed(parts: string[]): string {
  return new Intl.ListFormat('en-US').format(parts)
}
