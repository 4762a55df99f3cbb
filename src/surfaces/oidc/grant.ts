import type { KoaContextWithOIDC } from 'oidc-provider'
import * as grants from '#domain/grants'
import type { World } from '#flows/world'
import { parseId } from '#platform/ids'
import { isAgent } from './agents.ts'

/**
 * The library's grant for this login: the one that the person just consented to, or a new one if
 * everything requested was consented to before. Undefined if the consent page must ask. Logins do
 * not share grants, so revoking one leaves the others; agents always need consent.
 */
export async function loadGrant({ db }: World, { oidc }: KoaContextWithOIDC) {
  const { client, account, provider, result } = oidc
  if (!client || !account) return undefined
  const { clientId } = client
  const { accountId } = account
  const user_id = parseId('usr', accountId)
  const just_made = result?.consent?.grantId
  if (just_made !== undefined) {
    const grant = await provider.Grant.find(just_made)
    return grant?.accountId === accountId ? grant : undefined
  }
  if (isAgent(client)) return undefined
  const agreed = await grants.agreedScopes(db, { user_id, client_id: clientId })
  const wanted = [...oidc.requestParamOIDCScopes]
  if (agreed.length === 0 || !wanted.every((scope) => agreed.includes(scope))) return undefined
  const grant = new provider.Grant({ accountId, clientId })
  grant.addOIDCScope(grants.DEFAULT_SCOPES.filter((scope) => agreed.includes(scope)))
  await grant.save()
  return grant
}
