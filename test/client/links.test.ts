import assert from 'node:assert/strict'
import { test } from 'node:test'
import { buyLink, manageLink } from '@purser/client'
import fc from 'fast-check'

const base_url = 'https://purser.example'
const text = fc.string({ unit: 'binary', minLength: 1 }).filter((value) => value.isWellFormed())
const id_text = text.filter((value) => !value.includes('\0'))
const address = fc
  .tuple(fc.constantFrom('https://shop.example/', 'http://localhost:4000/'), text)
  .map(([origin, rest]) => origin + rest)

test('every parameter of a buy link survives encoding', () => {
  fc.assert(
    fc.property(id_text, address, text, text, text, (id, next, ref, email, discount) => {
      const price_id = `prc_${id}`
      const link = new URL(buyLink(base_url, price_id, { next, ref, email, discount }))
      assert.equal(link.origin, base_url)
      assert.equal(decodeURIComponent(link.pathname), `/buy/${price_id}/`)
      assert.deepEqual(Object.fromEntries(link.searchParams), { next, ref, email, discount })
      assert.equal(link.hash, '')
    }),
  )
})

test('every parameter of a manage link survives encoding', () => {
  fc.assert(
    fc.property(id_text, address, (id, next) => {
      fc.pre(id !== '.' && id !== '..')
      const link = new URL(manageLink(base_url, id, { next }))
      assert.equal(link.origin, base_url)
      assert.equal(decodeURIComponent(link.pathname), `/manage/${id}/`)
      assert.deepEqual([...link.searchParams], [['next', next]])
    }),
  )
})

test('an omitted parameter does not appear in the link', () => {
  assert.equal(buyLink(base_url, 'prc_1'), 'https://purser.example/buy/prc_1/')
  assert.equal(
    buyLink(base_url, 'prc_1', { next: undefined, ref: '', email: undefined }),
    'https://purser.example/buy/prc_1/',
  )
})

test('a trailing slash of the service changes no link', () => {
  for (const base of ['https://purser.example', 'https://purser.example/']) {
    assert.equal(manageLink(base, 'app_1'), 'https://purser.example/manage/app_1/')
  }
})

test('an invalid link is rejected when it is built', () => {
  assert.throws(() => buyLink(base_url, 'prod_1'), /public_id of a price/)
  // What `price.id` is: the field is `public_id`.
  assert.throws(() => buyLink(base_url, undefined as never), /public_id of a price/)
  assert.throws(() => buyLink(base_url, 'prc_1', { next: '/return' }), /absolute/)
  assert.throws(() => buyLink(base_url, 'prc_1', { next: 'javascript:alert(1)' }), /absolute/)
  assert.throws(() => buyLink('ftp://purser.example', 'prc_1'), /http or https/)
  for (const id of ['', '.', '..', 'app_\0']) {
    assert.throws(() => manageLink(base_url, id), TypeError)
  }
})
