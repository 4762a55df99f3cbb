import { interactionPolicy, type KoaContextWithOIDC } from 'oidc-provider'
import * as grants from '#domain/grants'
import type { World } from '#flows/world'
import { type AppId, parseId } from '#platform/ids'
import { sessionOf } from './requests.ts'

/**
 * When a person is asked to sign in and to consent. This service's session decides who is signed
 * in; the library's session only groups the tokens that apps received in one browser.
 */
export function policyOf(world: World): interactionPolicy.DefaultPolicy {
  const policy = interactionPolicy.base()
  policy.add(new interactionPolicy.Prompt({ name: 'select_account', requestable: true }), 0)
  policy
    .get('login')
    ?.checks.add(
      new interactionPolicy.Check(
        'service_session',
        'End-User authentication is required',
        'login_required',
        async (ctx) => !(await isSessionCurrent(world, ctx)),
      ),
    )
  return policy
}

async function isSessionCurrent(world: World, ctx: KoaContextWithOIDC): Promise<boolean> {
  const { oidc } = ctx
  const session = await sessionOf(world, ctx)
  if (!session || session.user_id !== oidc.session?.accountId) return false
  if (!grants.maySignInTo(session, appOf(oidc.client))) return false
  // A newer authentication is recorded so that ID tokens contain its time; this takes a redirect
  // but no person.
  const proven_at = Math.floor(session.authenticated_at.getTime() / 1000)
  return oidc.promptPending('none') || proven_at <= Number(oidc.session.loginTs)
}

/** The app of a client. */
export function appOf(client: { [key: string]: unknown } | undefined): AppId | null {
  return typeof client?.app_id === 'string' ? parseId('app', client.app_id) : null
}
