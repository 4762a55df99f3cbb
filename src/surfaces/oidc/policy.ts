import { interactionPolicy, type KoaContextWithOIDC } from 'oidc-provider'
import * as grants from '#domain/grants'
import type { World } from '#flows/world'
import { currentSession } from '#surfaces/browser'
import { requestOf } from './requests.ts'

/**
 * When somebody is asked: to sign in, and to agree. Who is signed in is decided by this service's
 * session and not by the library's, which only holds together what apps got in one browser.
 */
export function policyOf(world: World): interactionPolicy.DefaultPolicy {
  const policy = interactionPolicy.base()
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

async function isStillThere(world: World, { req, oidc }: KoaContextWithOIDC): Promise<boolean> {
  const session = await currentSession(world, requestOf(req))
  const isSame = session !== undefined && session.user_id === oidc.session?.accountId
  return isSame && grants.mayEnter(session, appOf(oidc.client))
}

/** The app that a client belongs to. */
export function appOf(client: { [key: string]: unknown } | undefined): string | null {
  return (client?.app_id as string | null | undefined) ?? null
}
