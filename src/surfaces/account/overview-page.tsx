import type { ComponentChildren, JSX } from 'preact'
import { Actions, Button } from '#design/actions'
import { Alert, Badge } from '#design/feedback'
import { Form } from '#design/forms'
import { SiteLayout } from '#design/layout'
import { Day } from '#design/money'
import { Heading, Mailbox, Panel } from '#design/panels'
import { RecordRows, recordDescription } from '#design/records'
import { type Factors, owesFactor, type Passkey, type SessionRecord } from '#domain/identity'
import { browserText } from '#http/device'
import type { SessionId } from '#platform/ids'
import type { Locale } from '#platform/language/locale'

/** The security page of a limited session, whose email is not confirmed: nothing can change yet. */
export function LimitedSecurityPage({
  email,
  locale,
}: {
  email: string
  locale: Locale
}): JSX.Element {
  const { t, rich } = locale
  const title = t('menu.security')
  return (
    <SiteLayout locale={locale} title={t('unproven.page_title', { title })}>
      <Heading title={title}>
        {rich('purchases.signed_in', { email: <Mailbox address={email} /> })}
      </Heading>
      <Alert tone="info" title={t('unproven.title')}>
        {t('unproven.text')}
      </Alert>
    </SiteLayout>
  )
}

interface OverviewFacts {
  locale: Locale
  csrf_token: string
  email: string
  /** A new email that is not confirmed yet. */
  new_email: string | undefined
  has_password: boolean
  factors: Factors
  passkeys: Passkey[]
  sessions: SessionRecord[]
  session_id: SessionId
  note: string | undefined
}

/** The security page: sign-in methods, second factors and active sessions. */
export function OverviewPage(facts: OverviewFacts): JSX.Element {
  const { locale } = facts
  const { t, rich } = locale
  const title = t('menu.security')
  return (
    <SiteLayout locale={locale} title={t('account.page_title', { title })}>
      <Heading title={title}>
        {rich('purchases.signed_in', { email: <Mailbox address={facts.email} /> })}
      </Heading>
      {facts.note && <Alert tone="success">{facts.note}</Alert>}
      <div class="grid grid-cols-1 gap-5 lg:grid-cols-2">
        <Entry
          title={t('account.email')}
          action={t('account.change_email')}
          href="/account/security/email"
        >
          <p class="text-sm">{facts.email}</p>
          {facts.new_email && (
            <p class="text-sm text-muted">
              {rich('account.email_waiting', { email: <Mailbox address={facts.new_email} /> })}
            </p>
          )}
        </Entry>
        <Entry
          title={t('account.password')}
          action={t(facts.has_password ? 'account.change_password' : 'account.set_password')}
          href="/account/security/password"
        >
          <p class="text-sm text-muted">
            {t(facts.has_password ? 'account.password_set' : 'account.password_none')}
          </p>
        </Entry>
        <AuthenticatorPanel {...facts} />
        <RecoveryPanel {...facts} />
        <div class="grid grid-cols-1 gap-5 lg:col-span-2">
          <PasskeysPanel {...facts} />
          <SessionsPanel {...facts} />
        </div>
      </div>
    </SiteLayout>
  )
}

function Entry(facts: {
  title: string
  action: string
  href: string
  children: ComponentChildren
}): JSX.Element {
  return (
    <Panel title={facts.title}>
      <div class="grid gap-1">{facts.children}</div>
      <Actions>
        <Button href={facts.href}>{facts.action}</Button>
      </Actions>
    </Panel>
  )
}

function OnOff({ on, children }: { on: boolean; children: string }): JSX.Element {
  return <Badge tone={on ? 'good' : 'neutral'}>{children}</Badge>
}

function AuthenticatorPanel({ csrf_token, factors, locale }: OverviewFacts): JSX.Element {
  const { t } = locale
  const on = factors.has_authenticator
  const state = t(on ? 'account.authenticator_is_on' : 'account.authenticator_is_off')
  return (
    <Panel title={t('account.authenticator')} aside={<OnOff on={on}>{state}</OnOff>}>
      <p class="text-sm text-muted">
        {t(on ? 'account.authenticator_on' : 'account.authenticator_off')}
      </p>
      <Form
        action={`/account/security/authenticator/${on ? 'remove' : 'begin'}`}
        csrf_token={csrf_token}
      >
        <Actions>
          {on ? (
            <Button kind="danger" pending={t('account.removing')}>
              {t('account.authenticator_remove')}
            </Button>
          ) : (
            <Button pending={t('account.one_moment')}>{t('account.authenticator_set_up')}</Button>
          )}
        </Actions>
      </Form>
    </Panel>
  )
}

function RecoveryPanel({ csrf_token, factors, locale }: OverviewFacts): JSX.Element {
  const { t } = locale
  const title = t('account.codes')
  if (!owesFactor(factors)) {
    return (
      <Panel title={title} aside={<OnOff on={false}>{t('account.codes_are_off')}</OnOff>}>
        <p class="text-sm text-muted">{t('account.codes_none')}</p>
      </Panel>
    )
  }
  const { recovery_codes } = factors
  const left = t('account.codes_left', { count: recovery_codes })
  return (
    <Panel
      title={title}
      aside={<Badge tone={recovery_codes < 3 ? 'warn' : 'neutral'}>{left}</Badge>}
    >
      <p class="text-sm text-muted">{t('account.codes_each')}</p>
      <Form action="/account/security/recovery-codes" csrf_token={csrf_token}>
        <Actions>
          <Button pending={t('account.one_moment')}>{t('account.codes_create')}</Button>
        </Actions>
      </Form>
    </Panel>
  )
}

function PasskeysPanel({ csrf_token, passkeys, locale }: OverviewFacts): JSX.Element {
  const { t, rich } = locale
  const on = passkeys.length > 0
  const state = t(on ? 'account.passkeys_are_on' : 'account.passkeys_are_off')
  return (
    <Panel title={t('account.passkeys')} aside={<OnOff on={on}>{state}</OnOff>}>
      {passkeys.length === 0 ? (
        <p class="text-sm text-muted">{t('account.passkeys_none')}</p>
      ) : (
        <RecordRows
          records={passkeys.map((passkey) => ({
            key: passkey.id,
            title: passkey.name,
            details: [
              rich('account.passkey_added', { day: <Day date={passkey.created_at} /> }),
              passkey.last_used_at
                ? rich('account.passkey_used', { day: <Day date={passkey.last_used_at} /> })
                : t('account.passkey_unused'),
            ],
            action: (
              <Form action="/account/security/passkeys/remove" csrf_token={csrf_token}>
                <input type="hidden" name="passkey" value={passkey.id} />
                <Button
                  kind="danger"
                  pending={t('account.removing')}
                  describedby={recordDescription(passkey.id)}
                >
                  {t('account.remove')}
                </Button>
              </Form>
            ),
          }))}
        />
      )}
      <Actions>
        <Button href="/account/security/passkeys" icon="key">
          {t('account.passkey_add')}
        </Button>
      </Actions>
    </Panel>
  )
}

function SessionsPanel(facts: OverviewFacts): JSX.Element {
  const { csrf_token, sessions, session_id, locale } = facts
  const { t, rich } = locale
  return (
    <Panel title={t('account.sessions')}>
      <RecordRows
        records={sessions.map(({ id, browser, network, created_at, last_seen_at }) => ({
          key: id,
          title: browserText(browser, locale),
          aside:
            id === session_id ? <Badge tone="good">{t('account.this_browser')}</Badge> : undefined,
          details: [
            rich('account.since', { day: <Day date={created_at} /> }),
            rich('account.last_seen', { day: <Day date={last_seen_at} /> }),
            t('account.network', { network }),
          ],
          action:
            id === session_id ? undefined : (
              <Form action="/account/security/sessions/end" csrf_token={csrf_token}>
                <input type="hidden" name="session" value={id} />
                <Button pending={t('account.ending_session')} describedby={recordDescription(id)}>
                  {t('account.end_session')}
                </Button>
              </Form>
            ),
        }))}
      />
      <div class="flex flex-wrap gap-3">
        {sessions.length > 1 && (
          <Form action="/account/security/sessions/end-others" csrf_token={csrf_token}>
            <Button pending={t('account.signing_out')}>{t('account.sign_out_others')}</Button>
          </Form>
        )}
        <Form action="/signout/" csrf_token={csrf_token}>
          <Button pending={t('account.signing_out')}>{t('account.sign_out_here')}</Button>
        </Form>
      </div>
    </Panel>
  )
}
