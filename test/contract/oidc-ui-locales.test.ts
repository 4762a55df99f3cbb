/** The language that an app asks for at sign-in (OpenID Connect: ui_locales). */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Agent } from '../support/agent.ts'
import {
  addPerson,
  browser,
  openSignInTest,
  type SignInTest,
  signInAs,
  startSignIn,
} from '../support/sign-in.ts'

let setup: SignInTest
before(async () => {
  setup = await openSignInTest()
})
after(() => setup.close())

const CHOSEN = '__Host-language'

/** Opens a sign-in that asks for these languages; the language of the page that is shown. */
async function languageOf(agent: Agent, ui_locales?: string): Promise<string | undefined> {
  const asked: Record<string, string> = ui_locales === undefined ? {} : { ui_locales }
  const { url } = await startSignIn(setup.app_side, setup.callback, asked)
  const page = await agent.open(url.pathname + url.search)
  assert.equal(page.status, 200)
  return /<html[^>]* lang="([\w-]+)"/.exec(page.body)?.[1]
}

test('the discovery document lists the languages that there are', async () => {
  const { ui_locales_supported } = setup.app_side.serverMetadata()
  const tags = setup.world.languages.all.map(({ language }) => language)
  assert.deepEqual(ui_locales_supported, tags)
  assert.ok(tags.includes('es'))
})

test('the sign-in page is in the first language that there is, without its region', async () => {
  for (const [asked, shown] of [
    ['es', 'es'],
    ['es-MX', 'es'],
    ['fr-CA es en', 'es'],
    ['en es', 'en'],
    ['ES', 'es'],
  ] as const) {
    assert.equal(await languageOf(browser(setup), asked), shown, asked)
  }
})

test('unknown languages and texts that are none are ignored', async () => {
  for (const asked of ['', 'fr', 'se de', '*', 'es;q=0', ',es', 'x'.repeat(600)]) {
    assert.equal(await languageOf(browser(setup), asked), 'en', asked)
  }
})

test('a language that the person chose comes first', async () => {
  const person = browser(setup)
  person.cookies.set(CHOSEN, 'en')
  assert.equal(await languageOf(person, 'es'), 'en')
  person.cookies.set(CHOSEN, 'es')
  assert.equal(await languageOf(person, 'en'), 'es')
})

test('the pages after the sign-in page have it too, and the next request does not', async () => {
  const person = await signInAs(setup, await addPerson(setup, 'idioma@example.com'))
  assert.equal(await languageOf(person, 'es'), 'es')
  assert.match(person.page.url, /^\/o\/interaction\//)
  const newcomer = browser(setup)
  assert.equal(await languageOf(newcomer, 'es'), 'es')
  const sign_up = await newcomer.open('/signup/')
  assert.match(sign_up.body, / lang="es"/)
  assert.equal(await languageOf(newcomer), 'en')
})

const langOf = (body: string) => /<html[^>]* lang="([\w-]+)"/.exec(body)?.[1]

test('the page about a request that is refused has its own language', async () => {
  const person = browser(setup)
  const { url } = await startSignIn(setup.app_side, setup.callback, { ui_locales: 'es' })
  url.searchParams.set('redirect_uri', 'https://elsewhere.example/')
  const refused = await person.open(url.pathname + url.search)
  assert.equal(refused.status, 400)
  assert.equal(langOf(refused.body), 'es')
  url.searchParams.delete('ui_locales')
  assert.equal(langOf((await person.open(url.pathname + url.search)).body), 'en')
})

test('the page of a sign-out is in the language that the app asks for', async () => {
  const person = await signInAs(setup, await addPerson(setup, 'salida@example.com'))
  const shown = async (query: string) => langOf((await person.open(`/o/session/end${query}`)).body)
  assert.equal(await shown('?ui_locales=es-MX'), 'es')
  assert.equal(await shown('?ui_locales=es&id_token_hint=forged'), 'es')
  assert.equal(await shown(''), 'en')
  person.cookies.set(CHOSEN, 'en')
  assert.equal(await shown('?ui_locales=es'), 'en')
})
