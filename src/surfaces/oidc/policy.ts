import { interactionPolicy, type KoaContextWithOIDC } from 'oidc-provider'
import * as grants from '#domain/grants'
import type { World } from '#flows/world'
import { sessionOf } from './requests.ts'

/**
 * When a person is asked to sign in, and when to consent. Who is signed in is decided by this
 * service's session and not by the library's, which only holds together what apps got in one
 * browser.
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
        async (ctx) => !(await isStillThere(world, ctx)),
      ),
    )
  return policy
}

async function isStillThere(world: World, ctx: KoaContextWithOIDC): Promise<boolean> {
  const { oidc } = ctx
  const session = await sessionOf(world, ctx)
  if (!session || session.user_id !== oidc.session?.accountId) return false
  if (!grants.mayEnter(session, appOf(oidc.client))) return false
  // A newer proof is noted, so that ID tokens tell its time; that needs no person, but a redirect.
  const proven_at = Math.floor(session.authenticated_at.getTime() / 1000)
  return oidc.promptPending('none') || proven_at <= Number(oidc.session.loginTs)
}

/** The app that a client belongs to. */
export function appOf(client: { [key: string]: unknown } | undefined): string | null {
  return (client?.app_id as string | null | undefined) ?? null
}
