import * as identity from '#domain/identity'
import type { World } from '#flows/world'
import type { SignUpId, UserId } from '#platform/ids'
import { mintSecret } from '#platform/secrets'

/** Creates a link for an email to an account's owner. */
export async function link(
  { db, clock, random, config }: World,
  purpose: identity.LinkPurpose,
  facts: Omit<identity.NewLink, 'token' | 'purpose'>,
): Promise<string> {
  const token = mintSecret(random)
  await identity.addLink(db, clock.now(), { token, purpose, ...facts })
  return `${config.base_url}/link/${purpose}/${token}`
}

/** Creates several links for an email to an account's owner, by their purposes. */
export async function links<Purpose extends identity.LinkPurpose>(
  { db, clock, random, config }: World,
  purposes: readonly Purpose[],
  user_id: UserId,
): Promise<Partial<Record<Purpose, string>>> {
  if (purposes.length === 0) return {}
  const added = purposes.map((purpose) => ({ purpose, user_id, token: mintSecret(random) }))
  await identity.addLinks(db, clock.now(), added)
  const urls = added.map(({ purpose, token }) => [
    purpose,
    `${config.base_url}/link/${purpose}/${token}`,
  ])
  return Object.fromEntries(urls)
}

/** Creates the link for a sign-up, which has no account yet. */
export async function signUpUrl(
  { db, clock, random, config }: World,
  sign_up_id: SignUpId,
): Promise<string> {
  const token = mintSecret(random)
  await identity.addSignUpLink(db, clock.now(), { token, sign_up_id })
  return `${config.base_url}/link/sign_up/${token}`
}

/** Creates a link of an invitation to staff, which may have no account yet. */
export async function staffUrl(
  { db, clock, random, config }: World,
  invitation: identity.StaffInvitation,
): Promise<string> {
  const token = mintSecret(random)
  await identity.addStaffLink(db, clock.now(), { token, invitation })
  return `${config.base_url}/link/staff/${token}`
}
