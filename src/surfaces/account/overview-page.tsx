import type { ComponentChildren, JSX } from 'preact'
import { Actions, Button } from '#design/actions'
import { Alert, Badge } from '#design/feedback'
import { Form } from '#design/forms'
import { SiteLayout } from '#design/layout'
import { Day } from '#design/money'
import { Heading, Mailbox, Panel, RecordRows } from '#design/panels'
import { type Factors, owesFactor, type Passkey, type SessionRecord } from '#domain/identity'
import type { SessionId } from '#platform/ids'
import type { Locale } from '#platform/language/locale'
import { counted } from '#platform/text'

/** The security page of an account with an unconfirmed email: nothing can change yet. */
export function UnprovenPage({ email, locale }: { email: string; locale: Locale }): JSX.Element {
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
  return (
    <SiteLayout title="Security · Purser">
      <Heading title="Security">
        Signed in as <Mailbox address={facts.email} />.
      </Heading>
      {facts.note && <Alert tone="success">{facts.note}</Alert>}
      <div class="grid grid-cols-1 gap-5 lg:grid-cols-2">
        <Entry title="Email" action="Change email" href="/account/security/email">
          <p class="text-sm">{facts.email}</p>
          {facts.new_email && (
            <p class="text-sm text-muted">
              Waiting for confirmation from <Mailbox address={facts.new_email} />.
            </p>
          )}
        </Entry>
        <Entry
          title="Password"
          action={facts.has_password ? 'Change password' : 'Set a password'}
          href="/account/security/password"
        >
          <p class="text-sm text-muted">
            {facts.has_password
              ? 'A password is set.'
              : 'No password is set. You sign in with a link that we email you.'}
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

function OnOff({ on }: { on: boolean }): JSX.Element {
  return <Badge tone={on ? 'good' : 'neutral'}>{on ? 'On' : 'Off'}</Badge>
}

function AuthenticatorPanel({ csrf_token, factors }: OverviewFacts): JSX.Element {
  const on = factors.has_authenticator
  return (
    <Panel title="Authenticator app" aside={<OnOff on={on} />}>
      <p class="text-sm text-muted">
        {on
          ? 'Signing in requires a code from your app.'
          : 'An app on your phone shows a new code every 30 seconds. Signing in requires it.'}
      </p>
      <Form
        action={`/account/security/authenticator/${on ? 'remove' : 'begin'}`}
        csrf_token={csrf_token}
      >
        <Actions>
          {on ? (
            <Button kind="danger" pending="Removing…">
              Remove the app
            </Button>
          ) : (
            <Button pending="One moment…">Set up an authenticator app</Button>
          )}
        </Actions>
      </Form>
    </Panel>
  )
}

function RecoveryPanel({ csrf_token, factors }: OverviewFacts): JSX.Element {
  if (!owesFactor(factors)) {
    return (
      <Panel title="Recovery codes" aside={<OnOff on={false} />}>
        <p class="text-sm text-muted">
          You receive ten codes with your authenticator app or your first passkey, in case you lose
          your device.
        </p>
      </Panel>
    )
  }
  const { recovery_codes } = factors
  const left = `${counted(recovery_codes, 'code')} left`
  return (
    <Panel
      title="Recovery codes"
      aside={<Badge tone={recovery_codes < 3 ? 'warn' : 'neutral'}>{left}</Badge>}
    >
      <p class="text-sm text-muted">Each code signs you in once if you lose your device.</p>
      <Form action="/account/security/recovery-codes" csrf_token={csrf_token}>
        <Actions>
          <Button pending="One moment…">Create new codes</Button>
        </Actions>
      </Form>
    </Panel>
  )
}

function PasskeysPanel({ csrf_token, passkeys }: OverviewFacts): JSX.Element {
  return (
    <Panel title="Passkeys" aside={<OnOff on={passkeys.length > 0} />}>
      {passkeys.length === 0 ? (
        <p class="text-sm text-muted">
          Sign in with the fingerprint, face or PIN of your device. No password needed.
        </p>
      ) : (
        <RecordRows
          records={passkeys.map((passkey) => ({
            key: passkey.id,
            title: passkey.name,
            details: [
              <>
                Added on <Day date={passkey.created_at} />
              </>,
              passkey.last_used_at ? (
                <>
                  Last used on <Day date={passkey.last_used_at} />
                </>
              ) : (
                'Not used yet'
              ),
            ],
            action: (
              <Form action="/account/security/passkeys/remove" csrf_token={csrf_token}>
                <input type="hidden" name="passkey" value={passkey.id} />
                <Button kind="danger" pending="Removing…" describedby={`record-${passkey.id}`}>
                  Remove
                </Button>
              </Form>
            ),
          }))}
        />
      )}
      <Actions>
        <Button href="/account/security/passkeys" icon="key">
          Add a passkey
        </Button>
      </Actions>
    </Panel>
  )
}

function SessionsPanel({ csrf_token, sessions, session_id }: OverviewFacts): JSX.Element {
  return (
    <Panel title="Signed-in browsers">
      <RecordRows
        records={sessions.map(({ id, browser, network, created_at, last_seen_at }) => ({
          key: id,
          title: browser,
          aside: id === session_id ? <Badge tone="good">This browser</Badge> : undefined,
          details: [
            <>
              Since <Day date={created_at} />
            </>,
            <>
              Last seen on <Day date={last_seen_at} />
            </>,
            `Network ${network}`,
          ],
          action:
            id === session_id ? undefined : (
              <Form action="/account/security/sessions/end" csrf_token={csrf_token}>
                <input type="hidden" name="session" value={id} />
                <Button pending="Ending the session…" describedby={`record-${id}`}>
                  End session
                </Button>
              </Form>
            ),
        }))}
      />
      <div class="flex flex-wrap gap-3">
        {sessions.length > 1 && (
          <Form action="/account/security/sessions/end-others" csrf_token={csrf_token}>
            <Button pending="Signing out…">Sign out everywhere else</Button>
          </Form>
        )}
        <Form action="/signout/" csrf_token={csrf_token}>
          <Button pending="Signing out…">Sign out here</Button>
        </Form>
      </div>
    </Panel>
  )
}
