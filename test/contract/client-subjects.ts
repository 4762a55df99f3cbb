/** The service and the client's test double behind one interface, for the same table of cases. */
import { type Client, createClient, createSignIn, type Fetch, type SignIn } from '@purser/client'
import { createTestPurser } from '@purser/client/testing'
import * as apps from '#domain/apps'
import type { LicenseStatus } from '#domain/licensing'
import { reconcile } from '#flows/payment'
import { parseId } from '#platform/ids'
import { CARD } from '../support/cards.ts'
import { forceStatus } from '../support/licenses.ts'
import { buyer, orderReference, purchase } from '../support/purchase.ts'
import { addPerson, openSignInTest, type SignInTest, signInAs } from '../support/sign-in.ts'

/** A license as the seller and the buyer know it. */
export type SubjectLicense = { key: string; id: string; ref: string }

/** A person in a browser. */
export type SubjectPerson = {
  /** Agrees to a sign-in; returns the address that the browser is sent to. */
  agree(url: string): Promise<string>
  cancel(url: string): Promise<string>
  /** Signs out at the service, over the link of the app. */
  signOut(link: string): Promise<void>
}

export type Subject = AsyncDisposable & {
  client: Client
  /** A client of the same app whose secret is wrong. */
  impostor: Client
  /** A client of an app that does not exist. */
  unregistered: Client
  sign_in: SignIn
  /** The fetch of the clients. */
  fetch: Fetch
  /** The sign-in of another process of the same app. */
  another: SignIn
  redirect_uri: string
  home: string
  license(status: LicenseStatus): Promise<SubjectLicense>
  /** An order whose payment is processing until `land` is called. */
  processing(): Promise<{ ref: string; land(): Promise<void> }>
  person(facts: { licensed: boolean }): Promise<SubjectPerson>
  pass(seconds: number): void
  setAddOn(enabled: boolean): Promise<void>
}

/** The index of the cast's price for the one-time plan. */
const LIFETIME = 2

/** The real service, with pages, database and all. Purchases are slow, so cases share theirs. */
export async function openReal(): Promise<Subject> {
  const setup = await openSignInTest()
  const { base_url } = setup.world.config
  const { client_id, client_secret } = setup.demo.app
  const clients = clientsOf({ base_url, client_id, client_secret })
  const people = { licensed: await realPerson(setup, true), free: await realPerson(setup, false) }
  const references = {
    subscription: orderReference(await purchase(setup, buyer(setup), { email: 'a@example.com' })),
    one_time: orderReference(
      await purchase(setup, buyer(setup), { email: 'b@example.com', price: LIFETIME }),
    ),
  }
  return {
    ...clients,
    redirect_uri: setup.callback,
    home: setup.home,

    async license(status) {
      const ref = references[status === 'one_time_active' ? 'one_time' : 'subscription']
      const order = await clients.client.order(ref)
      if (order.status === 'processing') throw new Error('the purchase is processing')
      const { license_key: key, license_id } = order
      const id = parseId('lic', license_id)
      if (status !== 'one_time_active') await forceStatus(setup, status, { license_id: id })
      return { key, id, ref }
    },

    async processing() {
      const facts = { email: `c${++waiting}@example.com`, card: CARD.loses_answer }
      const page = await purchase(setup, buyer(setup), facts)
      return {
        ref: orderReference(page),
        async land() {
          setup.clock.pass(5)
          await reconcile(setup.world)
        },
      }
    },

    person: async ({ licensed }) => people[licensed ? 'licensed' : 'free'],
    pass: (seconds) => setup.clock.pass(seconds),

    async setAddOn(enabled) {
      const { db } = setup.world
      const now = setup.clock.now()
      await (enabled ? apps.enableAddOn(db, now, client_id) : apps.disableAddOn(db, now, client_id))
    },
    [Symbol.asyncDispose]: () => setup.close(),
  }
}

let waiting = 0

async function realPerson(setup: SignInTest, licensed: boolean): Promise<SubjectPerson> {
  const email = licensed ? 'licensed@example.com' : 'free@example.com'
  const agent = await signInAs(setup, await addPerson(setup, email))
  if (licensed) await purchase(setup, agent, { email })
  return {
    async agree(url) {
      const page = await agent.open(url)
      return page.url.startsWith('/o/interaction/') ? (await agent.submit('Allow')).url : page.url
    },
    async cancel(url) {
      await agent.open(url)
      return (await agent.submit('Cancel')).url
    },
    async signOut(link) {
      await agent.open(link)
      await agent.submit('Sign out')
    },
  }
}

/** The double, set up like the cast's app. */
export async function openDouble(): Promise<Subject> {
  const purser = createTestPurser()
  return {
    ...clientsOf(purser),
    redirect_uri: 'https://app.example/auth/callback',
    home: 'https://app.example/',

    async license(status) {
      const product_public_id = status === 'one_time_active' ? 'prod_lifetime' : 'prod_pro'
      const license = purser.addLicense({ status, product_public_id })
      return { key: license.license_key, id: license.license_id, ref: purser.addOrder(license) }
    },

    async processing() {
      const ref = purser.addOrder(purser.addLicense(), { processing_seconds: 5 })
      return { ref, land: async () => purser.advance(5) }
    },

    async person({ licensed }) {
      const person = purser.addPerson(licensed ? purser.addLicense() : null)
      return {
        agree: async (url) => purser.authorize(url, person),
        cancel: async (url) => purser.authorize(url, null),
        signOut: async () => purser.signOut(person),
      }
    },
    pass: (seconds) => purser.advance(seconds),
    setAddOn: async (enabled) => purser.setAddOn(enabled),
    [Symbol.asyncDispose]: async () => {},
  }
}

type Credentials = Pick<Parameters<typeof createClient>[0], 'base_url' | 'client_id' | 'fetch'> & {
  client_secret: string
}

function clientsOf({ base_url, client_id, client_secret, fetch }: Credentials) {
  const credentials = { base_url, client_id, client_secret, fetch }
  return {
    client: createClient(credentials),
    fetch: fetch ?? globalThis.fetch,
    sign_in: createSignIn(credentials),
    another: createSignIn(credentials),
    impostor: createClient({ ...credentials, client_secret: 'wrong' }),
    unregistered: createClient({ ...credentials, client_id: 'app_0000000000000000000000' }),
  }
}
