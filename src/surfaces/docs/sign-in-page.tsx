import type { JSX } from 'preact'
import { TextLink } from '#design/actions'
import { Alert } from '#design/feedback'
import { SiteLayout } from '#design/layout'
import { DescriptionList } from '#design/panels'
import { Chapter, Code, CodeBlock, ReferenceTable } from '#design/reading'
import { SIGN_IN_SCOPE } from '#http/auth-js-code'
import { siteNav } from '#http/site-menu'
import { ANSWERS, LIMITS, planCode, type Recipe, recipesOf } from './sign-in.ts'

/** How a seller's app adds hosted sign-in with OpenID Connect. */
export function SignInDocsPage({ base_url }: { base_url: string }): JSX.Element {
  return (
    <SiteLayout
      title="Hosted sign-in · Purser"
      description="Sign your buyers in with Purser over OpenID Connect, and read their plan."
      canonical_url={`${base_url}/docs/sign-in/`}
      listed
      site_nav={siteNav('sign-in')}
    >
      <header class="grid max-w-2xl gap-3">
        <h1 class="text-3xl font-semibold tracking-tight">Sign your buyers in</h1>
        <p class="text-lg text-muted">
          Purser is an OpenID Connect provider. Your app stores no passwords and can read the plan
          of each signed-in buyer.
        </p>
      </header>
      <Settings base_url={base_url} />
      <Chapter id="code" title="Sign in">
        <div class="grid max-w-3xl grid-cols-1 gap-8">
          {recipesOf(base_url).map((recipe) => (
            <HowTo key={recipe.id} recipe={recipe} />
          ))}
        </div>
      </Chapter>
      <Plan base_url={base_url} />
      <SignOut base_url={base_url} />
      <Answers />
    </SiteLayout>
  )
}

function Settings({ base_url }: { base_url: string }): JSX.Element {
  return (
    <Chapter id="settings" title="Settings for your library">
      <p class="max-w-prose">
        Turn on hosted sign-in and add your redirect URLs under Integration on the{' '}
        <TextLink href="/dashboard/">dashboard</TextLink>. The client ID and the client secret are
        there too. Libraries discover everything else.
      </p>
      <div class="max-w-3xl">
        <DescriptionList
          items={[
            { term: 'Issuer', detail: <Code>{`${base_url}/o`}</Code> },
            {
              term: 'Discovery',
              detail: <Code>{`${base_url}/o/.well-known/openid-configuration`}</Code>,
            },
            { term: 'Scope', detail: <Code>{SIGN_IN_SCOPE}</Code> },
            { term: 'Flow', detail: 'Authorization code with PKCE (S256), which is required' },
            {
              term: 'Client authentication',
              detail: <Code>client_secret_basic or client_secret_post</Code>,
            },
          ]}
        />
      </div>
      <Alert tone="info" title="Request both scopes">
        Without <Code>entitlements</Code> the sign-in succeeds, but reading the plan returns 403.
        There is no scope for a name or an email.
      </Alert>
    </Chapter>
  )
}

function HowTo({ recipe }: { recipe: Recipe }): JSX.Element {
  return (
    <section aria-labelledby={recipe.id} class="grid grid-cols-1 gap-3">
      <h3 id={recipe.id} class="text-lg font-semibold">
        {recipe.name}
      </h3>
      <p>{recipe.before}</p>
      <CodeBlock id={`${recipe.id}-code`} label={recipe.label} code={recipe.code} />
    </section>
  )
}

function Plan({ base_url }: { base_url: string }): JSX.Element {
  return (
    <Chapter id="plan" title="Read the plan">
      <p class="max-w-prose">
        Call this endpoint from your server with the access token. Grant access based on{' '}
        <Code>entitled</Code> and choose features by <Code>product_public_id</Code>.
      </p>
      <div class="max-w-3xl">
        <CodeBlock id="plan-code" label="Plan of a signed-in buyer" code={planCode(base_url)} />
      </div>
      <ReferenceTable
        caption="Lifetimes and limits"
        columns={['Item', 'Limit']}
        rows={LIMITS.map(([what, limit]) => ({ key: what, cells: [what, limit] }))}
      />
    </Chapter>
  )
}

function SignOut({ base_url }: { base_url: string }): JSX.Element {
  const address = `${base_url}/o/session/end`
  return (
    <Chapter id="sign-out" title="Sign out">
      <p class="max-w-prose">
        End your own session, then send the browser to <Code>{address}</Code> with{' '}
        <Code>id_token_hint</Code> and a registered <Code>post_logout_redirect_uri</Code>. When the
        buyer confirms, your app's tokens are revoked.
      </p>
    </Chapter>
  )
}

function Answers(): JSX.Element {
  return (
    <Chapter id="answers" title="Errors">
      <ReferenceTable
        caption="Sign-in errors"
        columns={['Error', 'Cause', 'Next step']}
        rows={ANSWERS.map(({ answer, when, remedy }) => ({
          key: answer,
          cells: [answer, when, remedy],
        }))}
      />
    </Chapter>
  )
}
