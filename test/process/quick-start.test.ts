import assert from 'node:assert/strict'
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { devNull, tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { after, before, test } from 'node:test'
import { promisify } from 'node:util'
import type { Browser, Page } from 'playwright-core'
import { freePort } from '../../scripts/throwaway-postgres.ts'
import { giveCard, giveDetails, press } from '../browser/steps.ts'
import { borrowBrowser, returnBrowser } from '../support/browser.ts'
import { openPackageRegistry, type PackageRegistry } from '../support/package-registry.ts'
import { endProcesses, type Running, readDemo, startProcess } from '../support/process.ts'

const run = promisify(execFile)

/** What a reader has: five minutes, with installing. */
const MAX_MS = 5 * 60_000
const PATIENCE_MS = 60_000

const data_dir = mkdtempSync(join(tmpdir(), 'purser-quick-start-'))
let service: Running
let registry: PackageRegistry
let browser: Browser
before(async () => {
  service = await startProcess('src/main.ts', { DATA_DIR: data_dir })
  // `npm install` gets the client as it is packed here, and other packages as they are installed.
  registry = await openPackageRegistry({
    '@purser/client': 'packages/client',
    'openid-client': 'node_modules/openid-client',
    oauth4webapi: 'node_modules/oauth4webapi',
    jose: 'node_modules/jose',
  })
  browser = await borrowBrowser()
})
after(async () => {
  for (const site of sites) site.kill('SIGKILL')
  endProcesses()
  await registry?.[Symbol.asyncDispose]()
  await returnBrowser()
  rmSync(data_dir, { recursive: true, force: true })
})

/** A code block of the page: what its copy button copies. */
interface Shown {
  label: string
  code: string
}

/** The blocks of a quick start as its reader sees them, with the values of the installation. */
async function blocksOn(page: Page, path: string): Promise<Shown[]> {
  await page.goto(service.base_url + path)
  return await page.locator('article figure:has(pre)').evaluateAll((figures) =>
    figures.map((figure) => ({
      label: figure.querySelector('figcaption span')?.textContent ?? '',
      code: figure.querySelector('pre')?.textContent ?? '',
    })),
  )
}

const sites = new Set<ChildProcess>()

/** What a terminal of the reader has: this Node.js, and npm with the registry of this test. */
function terminal(folder: string, port: number) {
  return {
    PATH: `${dirname(process.execPath)}:${process.env.PATH}`,
    HOME: folder,
    PORT: String(port),
    npm_config_registry: registry.url,
    npm_config_cache: join(folder, '.npm'),
    npm_config_userconfig: devNull,
  }
}

/**
 * Follows a quick start in an empty folder: writes the files, runs the commands in their order, and
 * leaves the last one running. Returns what the site prints.
 */
async function follow(blocks: Shown[], folder: string, port: number): Promise<() => string> {
  const env = terminal(folder, port)
  let cwd = folder
  let output = ''
  for (const { label, code } of blocks) {
    if (label !== 'Terminal') {
      writeFileSync(join(cwd, label), `${code}\n`)
    } else if (code.startsWith('node ')) {
      const site = spawn('bash', ['-c', `exec ${code}`], { cwd, env })
      sites.add(site)
      for (const stream of [site.stdout, site.stderr]) {
        stream.on('data', (chunk: Buffer) => {
          output += chunk.toString()
        })
      }
    } else {
      const { stdout } = await run('bash', ['-ec', `${code}\necho; pwd`], { cwd, env })
      cwd = stdout.trimEnd().split('\n').at(-1)!
    }
  }
  return () => output
}

async function answering(url: string, output: () => string): Promise<void> {
  for (const end = Date.now() + PATIENCE_MS; Date.now() < end; ) {
    const answer = await fetch(url).catch(() => undefined)
    if (answer?.ok) return
    await new Promise((done) => setTimeout(done, 100))
  }
  assert.fail(`${url} does not answer: ${output()}`)
}

/** Opens a page in a new browser, and a folder and a port for the reader's project. */
async function newReader() {
  const context = await browser.newContext()
  context.setDefaultTimeout(PATIENCE_MS)
  const page = await context.newPage()
  const folder = mkdtempSync(join(tmpdir(), 'purser-reader-'))
  const port = await freePort()
  return {
    page,
    folder,
    port,
    site: `http://localhost:${port}`,
    async [Symbol.asyncDispose]() {
      await context.close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** Buys on the service's pages, from the details to the way back. */
async function pay(page: Page): Promise<void> {
  await giveCard(page)
  await press(page, /^Pay /)
  await page.getByRole('link', { name: /^Continue to / }).click()
}

test('the quick start with license keys leads from an empty folder to a verified purchase within five minutes', async () => {
  await using reader = await newReader()
  const { page, site } = reader
  const blocks = await blocksOn(page, '/docs/quick-start/license-keys/')
  const start = performance.now()
  const output = await follow(blocks, reader.folder, reader.port)
  await answering(site, output)
  await page.goto(site)
  await page.getByRole('link', { name: 'Buy' }).first().click()
  await giveDetails(page, 'quick-start@example.com')
  await pay(page)
  await page.waitForURL(`${site}/login?**`)
  await page.getByRole('link', { name: 'Open the app' }).click()
  await page.getByRole('heading', { name: 'Your license is active' }).waitFor()
  assert.ok(performance.now() - start < MAX_MS)

  // "Choose Buy again: Purser recognizes you, charges nothing and sends you back."
  await page.goto(site)
  await page.getByRole('link', { name: 'Buy' }).first().click()
  await page.waitForURL(`${site}/login?**`)
  await page.getByRole('heading', { name: 'Thank you' }).waitFor()
})

/** The fields that the table of a quick start says to fill in, for a site on another port. */
async function fieldsOn(page: Page, site: string): Promise<string[][]> {
  const rows = await page
    .locator('article tbody tr')
    .evaluateAll((found) => found.map((row) => [...row.children].map((cell) => cell.textContent)))
  return rows.map((cells) => cells.map((text) => text.replace('http://localhost:3000', site)))
}

/** Registers the addresses of the site on the dashboard. */
async function registerAddresses(page: Page, fields: string[][]): Promise<void> {
  const { seller, sign_in_app } = readDemo(data_dir)
  await page.goto(`${service.base_url}/signin/`)
  await page.getByLabel('Email').fill(seller.email)
  await page.getByLabel('Password').fill(seller.password)
  await press(page, /^Sign in$/)
  await page.waitForURL('**/dashboard/**')
  await page.goto(`${service.base_url}/dashboard/apps/${sign_in_app.slug}/integration/`)
  for (const [label = '', address = ''] of fields) {
    await page.getByLabel(label, { exact: true }).fill(address)
  }
  await press(page, /^Save/)
  await page.getByText('URLs saved.').waitFor()
}

test('the quick start with hosted sign-in leads from an empty folder to the plan of a signed-in buyer within five minutes', async () => {
  await using reader = await newReader()
  const { page, site } = reader
  const blocks = await blocksOn(page, '/docs/quick-start/hosted-sign-in/')
  const start = performance.now()
  await registerAddresses(page, await fieldsOn(page, site))
  const output = await follow(blocks, reader.folder, reader.port)
  await answering(site, output)
  const { buyer, sign_in_app } = readDemo(data_dir)
  await page.goto(site)
  await page.getByRole('link', { name: 'Sign in' }).click()
  // The seller is signed in. Browsers send a cookie to every port of a host, so the site gets the
  // session of the service too, and must not take it for its own.
  const cookies = new Map((await page.context().cookies()).map(({ name, value }) => [name, value]))
  assert.ok(cookies.get('session') && cookies.get('__Host-session'))
  assert.notEqual(cookies.get('session'), cookies.get('__Host-session'))
  await page.getByRole('link', { name: 'Use another account' }).click()
  await page.getByLabel('Email').fill(buyer.email)
  await page.getByLabel('Password').fill(buyer.password)
  await press(page, /^Sign in$/)
  await press(page, /^(Continue|Allow|Sign in)/)
  await page.waitForURL(`${site}/`)
  await page.getByText(/^You are /).waitFor()
  await page.getByRole('link', { name: /^Buy / }).first().click()
  await giveDetails(page, buyer.email)
  await pay(page)
  await page.waitForURL(`${site}/`)
  await page.getByText(/^Your plan: .+ \(active\)$/).waitFor()
  assert.ok(performance.now() - start < MAX_MS)

  // Browsers with a window request an icon after each page, which must not begin a sign-in.
  const icon = await page.request.get(`${site}/favicon.ico`, { maxRedirects: 0 })
  assert.equal(icon.status(), 404)
  await page.reload()
  await page.getByText(/^Your plan: .+ \(active\)$/).waitFor()

  // A buyer from the marketplace returns to the Login URL, which signs them in.
  await page.goto(`${service.base_url}/buy/${sign_in_app.prices[0]!.public_id}/`)
  await page.waitForURL(`${site}/`)
  await page.getByText(/^Your plan: .+ \(active\)$/).waitFor()

  // A user who disconnects the app can sign in again.
  await page.goto(`${service.base_url}/account/connections/`)
  await press(page, 'Disconnect')
  await page.goto(site)
  await page.getByRole('link', { name: 'Sign in' }).waitFor()
})
