import assert from 'node:assert/strict'
import { type CliProject, openCliProject } from './cli.ts'
import { buyer, licenseKey, orderReference, purchase } from './purchase.ts'
import type { CommandEnd } from './running-command.ts'
import { addPerson, openSignInTest, type SignInTest, signInAs } from './sign-in.ts'

/** The demo's seller with the command line program, beside a service where one license was sold. */
export interface CliSeller extends AsyncDisposable {
  setup: SignInTest
  cli: CliProject
  bought: { license_key: string; svc_order: string }
  /** The service and the credentials of the demo's app. */
  settings: Record<string, string>
  /** Runs `purser` with these settings, further ones and stdin. */
  purser(args: string[], env?: Record<string, string>, input?: string): Promise<CommandEnd>
  /** Signs in like a person: opens the printed address, answers, and follows the redirect. */
  signIn(answer?: 'Allow' | 'Cancel'): Promise<{ end: CommandEnd; text: string; url: string }>
}

/** Opens a service and the packed program; both end with the seller. */
export async function openCliSeller(): Promise<CliSeller> {
  const setup = await openSignInTest()
  const cli = await openCliProject()
  const page = await purchase(setup, buyer(setup), { email: 'cli@example.com' })
  const bought = { license_key: licenseKey(page), svc_order: orderReference(page) }
  const seller = await signInAs(setup, await addPerson(setup, setup.demo.seller.email))
  const { client_id, client_secret } = setup.demo.app
  const PURSER_URL = setup.world.config.base_url
  const settings = { PURSER_URL, PURSER_CLIENT_ID: client_id, PURSER_CLIENT_SECRET: client_secret }
  return {
    setup,
    cli,
    bought,
    settings,
    purser: (args, env = {}, input = '') => cli.purser(args, { ...settings, ...env }, input),
    async signIn(answer = 'Allow') {
      const running = cli.start(['login', '--no-browser', '--json'], settings)
      const [, address = ''] = await running.seen(/\n {2}(http\S+)\n/)
      const tab = seller.tab()
      await tab.open(address)
      const { url } = await tab.submit(answer, { 'listing.write': 'yes' })
      const page = await fetch(url)
      assert.equal(page.status, 200)
      return { end: await running.end, text: await page.text(), url }
    },
    async [Symbol.asyncDispose]() {
      await cli[Symbol.asyncDispose]()
      await setup.close()
    },
  }
}
