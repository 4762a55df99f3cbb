import * as identity from '#domain/identity'
import * as licensing from '#domain/licensing'
import { type AppId, type LicenseId, mintId, type ProductId } from '#platform/ids'
import type { TestService } from './service.ts'

/** An imported license of an app, with keys that another service issued. */
export async function addImported(
  { world, clock }: Pick<TestService, 'world' | 'clock'>,
  facts: {
    app_id: AppId
    product_id: ProductId
    email: string
    ends_at?: Date | null
    former_keys?: string[]
  },
): Promise<LicenseId> {
  const { db, keys, random } = world
  const { app_id, product_id, email, ends_at = null, former_keys = [] } = facts
  const now = clock.now()
  return await db.tx(async (tx) => {
    const { user_id } = await identity.findOrAddUser(tx, now, {
      id: mintId(random, 'usr'),
      email,
      email_normalized: email,
      created_via: 'import',
    })
    const license_id = mintId(random, 'lic')
    const license = { license_id, app_id, user_id, product_id, ends_at }
    await licensing.grantImported(tx, now, { keys, random }, license)
    const hashes = former_keys.map((key) => licensing.keyHash(keys, key))
    const aliases = hashes.map((key_hash) => ({ app_id, key_hash, license_id }))
    await licensing.addAliases(tx, now, aliases)
    return license_id
  })
}
