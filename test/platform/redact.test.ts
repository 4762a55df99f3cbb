import assert from 'node:assert/strict'
import { test } from 'node:test'
import { redactData, redactMessage, redactOutput } from '#platform/redact'

const ID = `email_${'a1B2'.repeat(5)}c3`
const LICENSE_KEY = `key_${'a1B2'.repeat(5)}c3`
const TOKEN = 'Zm9vYmFyYmF6cXV4Zm9vYmFyYmF6cXV4Zm9vYmFyYmE'

test('ids, names, dates and numbers of a job are shown', () => {
  const data = {
    email_id: ID,
    schedule: 'weekly-payouts',
    at: '2026-11-22T12:00:00.000Z',
    job: '8b7a3f52-7c55-4a17-9d4b-3a0f6f0b1c2d',
    attempts: 3,
    nested: [{ ok: true, none: null }],
  }
  assert.deepEqual(redactData(data), data)
})

test('any other text of a job is replaced by its length', () => {
  for (const secret of [
    TOKEN,
    LICENSE_KEY,
    'ada@example.com',
    'Ada Lovelace',
    '4242424242424242',
  ]) {
    assert.deepEqual(redactData({ value: secret }), {
      value: `[hidden, ${secret.length} characters]`,
    })
  }
})

test('messages keep their words, without addresses and secrets', () => {
  const text = `550 mailbox <ada@example.com> unavailable, ${TOKEN}, ${LICENSE_KEY}, ${ID}`
  assert.equal(redactMessage(text), `550 mailbox <[email]> unavailable, [hidden], [hidden], ${ID}`)
  assert.deepEqual(redactOutput({ message: 'to ada@example.com' }), { message: 'to [email]' })
})

test('the message of a job may be one long word, which is read once', () => {
  // Read again from each of its characters, a word of this length takes an hour.
  const word = 'a'.repeat(2_000_000)
  assert.equal(redactMessage(`${word}- ada@example.com`), '[hidden] [email]')
})
