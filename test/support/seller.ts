import * as apps from '#domain/apps'
import * as sellers from '#domain/sellers'
import { type AppId, mintId, type UserId } from '#platform/ids'
import { mintSecret } from '#platform/secrets'
import { sql } from '#platform/sql'
import { codeOf } from './account.ts'
import type { Agent } from './agent.ts'
import { buyer } from './purchase.ts'
import type { TestService } from './service.ts'

/** A browser in which a person of the cast is signed in. */
export async function signedIn(
  service: TestService,
  person: { email: string; password: string; totp_secret?: string },
): Promise<Agent> {
  const agent = buyer(service)
  await agent.open('/signin/')
  await agent.submit('Sign in', { email: person.email, password: person.password })
  if (person.totp_secret !== undefined) {
    // A code is accepted once, so each sign-in needs a new half minute.
    service.clock.pass(30)
    await agent.submit('Sign in', { code: codeOf(service, person.totp_secret) })
  }
  return agent
}

/** Makes an account a seller with an app. */
export async function addSellerWithApp(
  { world }: TestService,
  facts: { email: string; slug: string },
): Promise<{ client_id: AppId }> {
  const { db, clock, random } = world
  const now = clock.now()
  const client_id = mintId(random, 'app')
  const url = `https://${facts.slug}.example`
  await db.tx(async (tx) => {
    const { id: user_id } = await tx.one<{ id: UserId }>(
      sql`select id from users where email_normalized = ${facts.email}`,
    )
    const seller_id = mintId(random, 'sel')
    await sellers.addSeller(tx, now, {
      id: seller_id,
      legal_name: 'Another LLC',
      address: '1 Main Street',
      city: 'Austin',
      state: 'TX',
      zip: '78701',
    })
    await sellers.addMember(tx, now, { seller_id, user_id, role: 'owner' })
    await apps.add(tx, now, {
      id: client_id,
      slug: facts.slug,
      seller_id,
      name: 'Lighthouse',
      tagline: '',
      description: '',
      url,
      oauth_login_url: `${url}/login`,
      listing_mode: 'marketplace',
      is_published: true,
      external_sales_enabled: true,
    })
    await apps.addClient(tx, now, {
      client_id,
      app_id: client_id,
      client_secret: mintSecret(random),
    })
  })
  return { client_id }
}
