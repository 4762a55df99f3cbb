/** The starters, installed, started and bought from as their READMEs say. */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { after, before, test } from 'node:test'
import { promisify } from 'node:util'
import type { Browser, Page } from 'playwright-core'
import * as apps from '#domain/apps'
import type { InvoiceId } from '#platform/ids'
import { sql } from '#platform/sql'
import { freePort } from '../../scripts/throwaway-postgres.ts'
import { arrive, giveCard, giveDetails, newEmail, press } from '../browser/steps.ts'
import { borrowBrowser, returnBrowser } from '../support/browser.ts'
import { installFromPip, type Versions } from '../support/cached-tools.ts'
import { openPackageRegistry, type PackageRegistry } from '../support/package-registry.ts'
import { refund } from '../support/refunds.ts'
import { openSignInTest, type SignInTest } from '../support/sign-in.ts'
import { startSite } from '../support/site-process.ts'

const run = promisify(execFile)
const STARTERS = 'examples/starters'
const PATIENCE_MS = 60_000

let service: SignInTest
let registry: PackageRegistry
let browser: Browser
const work = mkdtempSync(join(tmpdir(), 'purser-starters-'))
before(async () => {
  service = await openSignInTest()
  registry = await openPackageRegistry({ '@purser/client': 'packages/client' })
  browser = await borrowBrowser()
})
after(async () => {
  rmSync(work, { recursive: true, force: true })
  await returnBrowser()
  await registry?.[Symbol.asyncDispose]()
  await service?.close()
})

/** A copy of a starter, so that what it installs stays outside of the project. */
function copyOf(name: string): string {
  const cwd = join(work, name)
  cpSync(join(STARTERS, name), cwd, { recursive: true })
  return cwd
}

/** What `npm` needs: the client as it is packed here, and a cache for the other packages. */
const npmEnv = () => ({
  ...process.env,
  NODE_OPTIONS: '',
  PATH: `${dirname(process.execPath)}:${process.env.PATH}`,
  'npm_config_@purser:registry': registry.url,
  npm_config_cache: resolve('node_modules/.cache/npm'),
})

/** Runs `npm install`; returns why that is not possible, if the registry does not answer. */
async function npmInstall(cwd: string): Promise<string | undefined> {
  const options = ['--prefer-offline', '--no-audit', '--no-fund', '--fetch-retries', '0']
  try {
    await run('npm', ['install', ...options], { cwd, env: npmEnv(), timeout: 300_000 })
  } catch (error) {
    const { message } = error as Error
    if (!/E(NOTFOUND|AI_AGAIN|CONN\w+|TIMEDOUT|NOTCACHED)/.test(message)) throw error
    return `npm could not install the packages of ${cwd.split('/').at(-1)}`
  }
}

/** The settings of every starter. */
function settingsFor(port: number): Record<string, string> {
  const { client_id, client_secret } = service.demo.app
  return {
    PURSER_URL: service.world.config.base_url,
    PURSER_CLIENT_ID: client_id,
    PURSER_CLIENT_SECRET: client_secret,
    SESSION_SECRET: 'a random text of the test',
    SITE_URL: `http://localhost:${port}`,
    LICENSE_SECONDS: '1',
  }
}

async function newPage(): Promise<Page & AsyncDisposable> {
  const context = await browser.newContext()
  context.setDefaultTimeout(PATIENCE_MS)
  const page = await context.newPage()
  return Object.assign(page, { [Symbol.asyncDispose]: () => context.close() })
}

/** Buys the first plan of the site's page, up to the return to the site. */
async function buyFirst(page: Page, email: string): Promise<void> {
  await page.getByRole('link', { name: /^Buy / }).first().click()
  await giveDetails(page, email)
  await giveCard(page)
  await press(page, /^Pay /)
  await page.getByRole('link', { name: /^Continue to / }).click()
}

/** Refunds everything that a buyer paid. */
async function refundAll(email: string): Promise<void> {
  const bought = await service.world.db.one<{ invoice_id: InvoiceId }>(sql`
    select i.id as invoice_id from invoices i join users u on u.id = i.user_id
    where u.email_normalized = ${email} order by i.number desc limit 1`)
  await refund(service, bought)
}

/** Reloads the page until it has this text. */
async function reloadUntil(page: Page, url: string, text: string | RegExp): Promise<void> {
  for (const end = performance.now() + PATIENCE_MS; performance.now() < end; ) {
    await page.goto(url)
    const found = page.getByText(text)
    if (
      await found.waitFor({ timeout: 1000 }).then(
        () => true,
        () => false,
      )
    )
      return
  }
  assert.fail(`${url} does not show ${text}: ${await page.innerText('body')}`)
}

/**
 * Opens a buy link without `next`, as a buyer; returns the address at the Login URL. A site opens
 * the app at once if this browser has adopted the order, or asks.
 */
async function orderOnMarketplace(page: Page, login_url: string): Promise<string> {
  const { client_id, prices } = service.demo.app
  await apps.setLoginUrl(service.world.db, client_id, login_url)
  const returned = page.waitForRequest((each) => each.url().startsWith(`${login_url}?`))
  await page.goto(`${service.world.config.base_url}/buy/${prices[0]!.public_id}/`)
  const address = (await returned).url()
  await page.getByRole('heading', { name: /^(The app is open|Use this purchase .+)$/ }).waitFor()
  return address
}

/**
 * Follows a buyer of a site with license keys: locked, bought, open, refunded, locked. `also`
 * checks what else the site locks, for a buyer without a key, with one, and after the refund.
 */
async function checkLicenseKeys(
  site: string,
  also: (page: Page, status: 'none' | 'active' | 'canceled') => Promise<void> = async () => {},
): Promise<void> {
  await using page = await newPage()
  await page.goto(`${site}/app`)
  await arrive(page, 'The app is locked')
  await also(page, 'none')
  await page.getByRole('link', { name: 'See the plans' }).click()
  const email = newEmail()
  await buyFirst(page, email)
  await arrive(page, 'The app is open')
  await page.getByText(/^Plan: prod_\w+ \(active\)$/).waitFor()
  await also(page, 'active')

  // The link of another person's purchase is not adopted without a click.
  const { prices } = service.demo.app
  await using other = await newPage()
  await other.goto(site)
  await other.goto(`${site}/login?purchase=forged&svc_order=${prices[0]!.public_id}`)
  await arrive(other, 'Use this purchase in this browser?')
  await other.goto(`${site}/app`)
  await arrive(other, 'The app is locked')

  // A buyer from the marketplace returns to the Login URL, without the value of this browser.
  const bought = new URL(await orderOnMarketplace(page, `${site}/login`))
  await other.goto(bought.href)
  await other.getByRole('link', { name: 'Use this purchase' }).click()
  await arrive(other, 'The app is open')

  await refundAll(email)
  await reloadUntil(page, `${site}/app`, 'The app is locked')
  await also(page, 'canceled')
}

test('the Express starter opens after a purchase and locks after a refund', async (t) => {
  const cwd = copyOf('express-license-keys')
  const missing = await npmInstall(cwd)
  if (missing) return t.skip(missing)
  const port = await freePort()
  const env = { ...npmEnv(), ...settingsFor(port) }
  await using _site = await startSite(['npm', 'start'], { cwd, env, port })
  await checkLicenseKeys(`http://localhost:${port}`)
})

test('the Next.js starter opens after a purchase and locks after a refund, in proxy and route handler', async (t) => {
  const cwd = copyOf('next-license-keys')
  const missing = await npmInstall(cwd)
  if (missing) return t.skip(missing)
  const port = await freePort()
  const env = { ...npmEnv(), ...settingsFor(port), NEXT_TELEMETRY_DISABLED: '1' }
  await run('npm', ['run', 'build'], { cwd, env, timeout: 300_000 })
  await using _site = await startSite(['npm', 'start'], { cwd, env, port })
  const site = `http://localhost:${port}`
  const expected = { none: 401, active: 200, canceled: 402 }
  await checkLicenseKeys(site, async (page, license) => {
    for (const path of ['/app', '/api/plan']) {
      const answers = () => page.request.get(site + path).then((answer) => answer.status())
      // Each keeps a cache of its own, whose last answer serves while the service is slow.
      for (const end = performance.now() + PATIENCE_MS; performance.now() < end; ) {
        if ((await answers()) === expected[license]) break
        await new Promise((resolve) => setTimeout(resolve, 300))
      }
      assert.equal(await answers(), expected[license], `${path} with ${license}`)
    }
  })
})

test('the FastAPI starter opens after a purchase and locks after a refund', async (t) => {
  const cwd = copyOf('fastapi-license-keys')
  const lines = readFileSync(join(cwd, 'requirements.txt'), 'utf8').trim().split('\n')
  const versions: Versions = Object.fromEntries(lines.map((line) => line.split('==')))
  const python = await installFromPip('fastapi', versions)
  if (python.missing !== undefined) return t.skip(python.missing)
  const port = await freePort()
  const env = settingsFor(port)
  const command = [join(python.folder, 'bin/uvicorn'), 'main:app', '--port', String(port)]
  await using _site = await startSite(command, { cwd, env, port })
  await checkLicenseKeys(`http://localhost:${port}`)
})

test('the starter with a static page opens after a purchase and locks after a refund', async (t) => {
  const cwd = copyOf('static-edge')
  const missing = await npmInstall(cwd)
  if (missing) return t.skip(missing)
  const port = await freePort()
  const facts = settingsFor(port)
  const index = join(cwd, 'public/index.html')
  const html = readFileSync(index, 'utf8')
    .replace('https://purser.example', facts.PURSER_URL!)
    .replace('app_YourClientId', facts.PURSER_CLIENT_ID!)
  writeFileSync(index, html)
  const settings = Object.entries(facts)
  writeFileSync(
    join(cwd, '.dev.vars'),
    settings.map(([name, value]) => `${name}="${value}"\n`).join(''),
  )
  mkdirSync(join(cwd, 'home'))
  const env = { ...npmEnv(), HOME: join(cwd, 'home'), WRANGLER_SEND_METRICS: 'false', CI: 'true' }
  const command = ['npm', 'start', '--', '--port', String(port)]
  await using _site = await startSite(command, { cwd, env, port })
  const site = `http://localhost:${port}`
  await using page = await newPage()
  await page.goto(site)
  await page.getByText('The app is locked (none).').waitFor()
  const email = newEmail()
  await buyFirst(page, email)
  await page.getByText('The app is open (active).').waitFor()
  const forged = await fetch(`${site}/login?purchase=forged&svc_order=x`)
  assert.match(await forged.text(), /Use this purchase in this browser/)
  await refundAll(email)
  await reloadUntil(page, site, 'The app is locked (canceled).')
})

test('the React Router starter shows the plan of a signed-in buyer until a refund', async (t) => {
  const cwd = copyOf('react-router-hosted-sign-in')
  const missing = await npmInstall(cwd)
  if (missing) return t.skip(missing)
  await run('npm', ['run', 'build'], { cwd, env: npmEnv(), timeout: 300_000 })
  const port = await freePort()
  const site = `http://localhost:${port}`
  await apps.setRedirectLists(service.world.db, service.demo.app.client_id, {
    redirect_uris: [`${site}/callback`],
    post_logout_redirect_uris: [`${site}/`],
  })
  const env = { ...npmEnv(), ...settingsFor(port) }
  await using _site = await startSite(['npm', 'start'], { cwd, env, port })
  await using page = await newPage()
  const { email, password } = service.demo.buyer
  await page.goto(site)
  await page.getByRole('link', { name: 'Sign in' }).click()
  await page.getByLabel('Email').fill(email)
  await page.getByLabel('Password').fill(password)
  await press(page, /^Sign in$/)
  await press(page, 'Allow')
  await page.getByText(/^Your plan: .+ \(free\)$/).waitFor()
  await buyFirst(page, email)
  await page.getByText(/^Your plan: .+ \(active\)$/).waitFor()
  await refundAll(email)
  await reloadUntil(page, site, /\(free\)$/)
  await press(page, 'Sign out')
  await press(page, 'Sign out')
  await page.getByRole('link', { name: 'Sign in' }).waitFor()
})
