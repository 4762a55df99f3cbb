import type { JSX } from 'preact'
import { Button, TextLink } from '#design/actions'
import { Alert } from '#design/feedback'
import { Form } from '#design/forms'
import { SiteLayout } from '#design/layout'
import { Day } from '#design/money'
import { Heading, Panel } from '#design/panels'
import { RecordRows, recordDescription } from '#design/records'
import type { AgentGrant, AgentScope, ConnectedApp, Scope } from '#domain/grants'
import { browserText } from '#http/device'
import type { Locale, MessageId } from '#platform/language/locale'

/** What each scope lets an agent do, as items of a sentence. */
const MAY: Record<AgentScope, MessageId[]> = {
  'integrations.read': ['account.agent_may_read_integrations'],
  'integrations.write': [
    'account.agent_may_change_integrations',
    'account.agent_may_replace_secrets',
  ],
  'listing.read': ['account.agent_may_read_listings'],
  'listing.write': ['account.agent_may_change_listings'],
}

const KNOWS: Record<Scope, MessageId> = {
  openid: 'account.app_receives_openid',
  entitlements: 'account.app_receives_entitlements',
}

interface ConnectionsFacts {
  locale: Locale
  csrf_token: string
  agents: AgentGrant[]
  apps: ConnectedApp[]
  note: string | undefined
}

/** Everything with access to the account: agents that manage apps, and apps signed in to. */
export function ConnectionsPage(facts: ConnectionsFacts): JSX.Element {
  const { locale } = facts
  const { t } = locale
  const title = t('menu.connections')
  return (
    <SiteLayout locale={locale} title={t('account.page_title', { title })}>
      <Heading title={title}>{t('account.connections_text')}</Heading>
      {facts.note && <Alert tone="success">{facts.note}</Alert>}
      <AgentsPanel {...facts} />
      <AppsPanel {...facts} />
    </SiteLayout>
  )
}

function AgentsPanel({ csrf_token, agents, locale }: ConnectionsFacts): JSX.Element {
  const { t, rich, list } = locale
  return (
    <Panel title={t('account.agents')}>
      {agents.length === 0 ? (
        <p class="text-sm text-muted">
          {rich('account.agents_none', {
            link: (text) => <TextLink href="/docs/agents">{text}</TextLink>,
          })}
        </p>
      ) : (
        <>
          <RecordRows
            records={agents.map((agent) => ({
              key: agent.id,
              title: t('account.agent_at', { callback: agent.callback }),
              details: [
                t('account.agent_can', { list: list(mayDo(agent.scopes, locale)) }),
                rich('account.agent_allowed', {
                  day: <Day date={agent.granted_at} />,
                  browser: browserText(agent.browser, locale),
                }),
                rich('account.last_seen', { day: <Day date={agent.renewed_at} /> }),
                rich('account.agent_expires', { day: <Day date={agent.expires_at} /> }),
              ],
              action: (
                <Form action="/account/connections/agents/end" csrf_token={csrf_token}>
                  <input type="hidden" name="agent" value={agent.id} />
                  <Button
                    kind="danger"
                    pending={t('account.agent_revoking')}
                    describedby={recordDescription(agent.id)}
                  >
                    {t('account.agent_revoke')}
                  </Button>
                </Form>
              ),
            }))}
          />
          <p class="text-sm text-muted">{t('account.agents_sign_out')}</p>
        </>
      )}
    </Panel>
  )
}

function AppsPanel({ csrf_token, apps, locale }: ConnectionsFacts): JSX.Element {
  const { t, rich, list } = locale
  return (
    <Panel title={t('account.apps')}>
      {apps.length === 0 ? (
        <p class="text-sm text-muted">{t('account.apps_none')}</p>
      ) : (
        <>
          <RecordRows
            records={apps.map((app) => ({
              key: app.client_id,
              title: app.app_name,
              details: [
                t('account.app_receives', {
                  list: list(app.scopes.map((scope) => t(KNOWS[scope]))),
                }),
                rich('account.since', { day: <Day date={app.granted_at} /> }),
              ],
              action: (
                <Form action="/account/connections/apps/end" csrf_token={csrf_token}>
                  <input type="hidden" name="app" value={app.client_id} />
                  <Button
                    kind="danger"
                    pending={t('account.app_disconnecting')}
                    describedby={recordDescription(app.client_id)}
                  >
                    {t('account.app_disconnect')}
                  </Button>
                </Form>
              ),
            }))}
          />
          <p class="text-sm text-muted">{t('account.apps_disconnect')}</p>
        </>
      )}
    </Panel>
  )
}

/** The scopes as phrases; a write scope implies its read scope. */
function mayDo(scopes: AgentScope[], { t }: Locale): string[] {
  const isImplied = (scope: AgentScope) =>
    scopes.some((each) => each !== scope && each === scope.replace('.read', '.write'))
  return scopes
    .filter((scope) => !isImplied(scope))
    .flatMap((scope) => MAY[scope].map((id) => t(id)))
}
