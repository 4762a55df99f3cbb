import * as identity from '#domain/identity'
import type { World } from '#flows/world'
import type { SignUpId, UserId } from '#platform/ids'
import { mintSecret } from '#platform/secrets'

/** Creates a link for an email to an account's owner. Throws if it is not stored: see `addLink`. */
export async function link(
  { db, clock, random, config }: World,
  purpose: identity.LinkPurpose,
  facts: Omit<identity.NewLink, 'token' | 'purpose'>,
): Promise<string> {
  const token = mintSecret(random)
  const isStored = await identity.addLink(db, clock.now(), { token, purpose, ...facts })
  if (!isStored) throw new OtherEmail()
  return `${config.base_url}/link/${purpose}/${token}`
}

/**
 * The account has another email since, or was deleted. The email worker writes the email again: to
 * the account's present address, or not at all.
 */
class OtherEmail extends Error {
  constructor() {
    super('the email of the account has changed')
  }
}

/** Creates several links for an email to an account's owner, by their purposes, like `link`. */
export async function links<Purpose extends identity.LinkPurpose>(
  { db, clock, random, config }: World,
  purposes: readonly Purpose[],
  owner: { user_id: UserId; sent_to: string },
): Promise<Partial<Record<Purpose, string>>> {
  if (purposes.length === 0) return {}
  const added = purposes.map((purpose) => ({ purpose, ...owner, token: mintSecret(random) }))
  if (!(await identity.addLinks(db, clock.now(), added))) throw new OtherEmail()
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
