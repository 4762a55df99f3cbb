import type { KoaContextWithOIDC } from 'oidc-provider'
import * as grants from '#domain/grants'
import type { World } from '#flows/world'
import { addSeconds } from '#platform/calendar'
import { isAgent } from './agents.ts'

/**
 * What the person has agreed to already, as the library's grant: the one of this browser, or a new
 * one from what was agreed elsewhere. What is asked for beyond that, the consent page asks.
 */
export async function loadGrant({ db, clock }: World, { oidc }: KoaContextWithOIDC) {
  const { client, account, session, provider, result } = oidc
  if (!client || !account) return undefined
  const { clientId } = client
  const { accountId } = account
  if (isAgent(client)) return await justAllowed(oidc)
  const known = result?.consent?.grantId ?? session?.grantIdFor(clientId)
  const before = known ? await provider.Grant.find(known) : undefined
  // A token of today must not end because the grant that it stands on is old.
  const isOld = before && before.remainingTTL < grants.LIFE.refresh_family
  const wanted = [...oidc.requestParamOIDCScopes]
  const given = before?.getOIDCScope().split(' ') ?? []
  if (before && !isOld && wanted.every((scope) => given.includes(scope))) return before

  const agreed = await grants.agreedScopes(db, { user_id: accountId, client_id: clientId })
  if (!before && agreed.length === 0) return undefined
  const grant = before ?? new provider.Grant({ accountId, clientId })
  if (agreed.length > 0) grant.addOIDCScope(agreed)
  if (isOld) grant.exp = Math.floor(addSeconds(clock.now(), grants.LIFE.grant).getTime() / 1000)
  await grant.save()
  return grant
}

/** What this person has allowed an agent in this very request: nothing is remembered for the next. */
async function justAllowed({ account, provider, result }: KoaContextWithOIDC['oidc']) {
  const grantId = result?.consent?.grantId
  const grant = grantId === undefined ? undefined : await provider.Grant.find(grantId)
  return grant?.accountId === account?.accountId ? grant : undefined
}
