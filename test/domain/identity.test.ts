import assert from 'node:assert/strict'
import { performance } from 'node:perf_hooks'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import * as identity from '#domain/identity'
import type { UserId } from '#platform/ids'
import { systemRandom } from '#platform/random'
import { keyRing } from '#platform/secrets'
import { testId } from '../support/ids.ts'

const keys = keyRing([Buffer.alloc(32, 7)])

describe('a code of an authenticator app', () => {
  // RFC 6238, appendix B: the secret is the ASCII text 12345678901234567890, and these are SHA-1.
  const SECRET = 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ'
  const VECTORS: [seconds: number, code: string][] = [
    [59, '287082'],
    [1111111109, '081804'],
    [1111111111, '050471'],
    [1234567890, '005924'],
    [2000000000, '279037'],
    [20000000000, '353130'],
  ]
  const at = (seconds: number) => new Date(seconds * 1000)

  test('matches RFC 6238, and names its time step', () => {
    for (const [seconds, code] of VECTORS) {
      const step = Math.floor(seconds / 30)
      assert.equal(identity.stepOfCode(SECRET, at(seconds), code), step)
    }
  })

  test('is accepted one step early or late, and no further', () => {
    const [seconds, code] = VECTORS[2]!
    const step = Math.floor(seconds / 30)
    for (const [off, expected] of [
      [-60, undefined],
      [-30, step],
      [0, step],
      [30, step],
      [60, undefined],
    ] as const) {
      assert.equal(identity.stepOfCode(SECRET, at(step * 30 + off), code), expected, String(off))
    }
  })

  test('is accepted with spaces, and anything else is not a code', () => {
    const [seconds, code] = VECTORS[0]!
    const step = Math.floor(seconds / 30)
    assert.equal(identity.stepOfCode(SECRET, at(seconds), ' 287 082 '), step)
    for (const text of ['', '28708', '2870820', '28708x', `${code}\0`, '２８７０８２']) {
      assert.equal(identity.stepOfCode(SECRET, at(seconds), text), undefined, text)
    }
  })

  test('comes from a secret of 160 bits that only its own account can decrypt', () => {
    const secret_sealed = identity.mintAuthenticatorSecret(keys, systemRandom, testId('usr_one'))
    const secret = identity.openAuthenticatorSecret(keys, {
      user_id: testId('usr_one'),
      secret_sealed,
    })
    assert.match(secret, /^[A-Z2-7]{32}$/)
    assert.throws(() =>
      identity.openAuthenticatorSecret(keys, { user_id: testId('usr_two'), secret_sealed }),
    )
    const uri = new URL(identity.authenticatorUri(secret, 'ada+test@example.org'))
    assert.equal(uri.host, 'totp')
    assert.equal(decodeURIComponent(uri.pathname), '/Purser:ada+test@example.org')
    assert.equal(uri.searchParams.get('secret'), secret)
  })
})

describe('recovery codes', () => {
  const hash = (text: string, user_id: UserId = testId('usr_one')) =>
    identity.recoveryCodeHashes(keys, user_id, text)[0]!.toString('hex')

  test('have 60 bits each, and no characters that are misread', () => {
    const codes = identity.mintRecoveryCodes(systemRandom)
    assert.equal(new Set(codes).size, 10)
    for (const code of codes) assert.match(code, /^([0-9a-hjkmnp-tv-z]{4}-?){3}$/)
  })

  test('match in any spelling, and differ between accounts', () => {
    const same = ['0a1b-2c3d-4e5f', '0A1B2C3D4E5F', ' oaib 2c3d 4e5f', 'Oalb—2C3D—4E5F']
    assert.equal(new Set(same.map((text) => hash(text))).size, 1)
    assert.notEqual(hash(same[0]!), hash(same[0]!, testId('usr_two')))
    assert.notEqual(hash(same[0]!), hash('0a1b-2c3d-4e5g'))
  })

  test('are still found after a key rotation', () => {
    const after = keyRing([Buffer.alloc(32, 8), Buffer.alloc(32, 7)])
    const hashes = identity.recoveryCodeHashes(after, testId('usr_one'), '0a1b-2c3d-4e5f')
    assert.ok(hashes.some((each) => each.toString('hex') === hash('0a1b-2c3d-4e5f')))
  })
})

describe('an email address', () => {
  const read = (text: string) => identity.readEmail(text)?.email_normalized

  // F17
  test('matches in any spelling, with its domain in any script', () => {
    assert.equal(read('  Robin@Example.COM '), 'robin@example.com')
    assert.equal(read('robin+tides@mail.example.co.uk'), 'robin+tides@mail.example.co.uk')
    assert.equal(read('o’brien@example.com'), undefined)
    assert.equal(read("o'brien@example.com"), "o'brien@example.com")
    assert.equal(read('anna@bücher.example'), 'anna@xn--bcher-kva.example')
    assert.equal(read('anna@BÜCHER.example'), 'anna@xn--bcher-kva.example')
    assert.equal(read('anna@xn--bcher-kva.example'), 'anna@xn--bcher-kva.example')
    assert.equal(read('иван@почта.рф'), undefined)
    assert.equal(read('ivan@почта.рф'), 'ivan@xn--80a1acny.xn--p1ai')
  })

  test('is rejected if its local part only looks like that of another mailbox', () => {
    // Other mailboxes than kelvin@ and robin@, which a person who owns them could confirm.
    assert.equal(read('\u212aelvin@example.com'), undefined)
    assert.equal(read('\uff52obin@example.com'), undefined)
  })

  // F17
  test('is rejected with invisible characters or an impossible domain', () => {
    const none = [
      'robin\u202e@example.com',
      'ro\u200bbin@example.com',
      'robin@exam\u200bple.com',
      'robin@exam\u00adple.com',
      'ro\u0000bin@example.com',
      'a@b.-',
      'a@-b.com',
      'a@b-.com',
      'a@b..com',
      'a@b',
      'a@127.0.0.1',
      'a@b.c',
      '.a@example.com',
      'a..b@example.com',
      'a b@example.com',
      '@example.com',
      'example.com',
      '',
      `${'a'.repeat(65)}@example.com`,
      `a@${'b'.repeat(64)}.com`,
    ]
    for (const text of none) assert.equal(read(text), undefined, JSON.stringify(text))
  })
})

const FAULTS = ['too_short', 'too_long', 'contains_email', 'easy']

describe('a password', () => {
  const EMAIL = 'marguerite.duras@example.com'

  test('has at least ten characters, with an emoji counted as one', async () => {
    assert.equal(await identity.passwordFault('🌊🐚🦀', EMAIL), 'too_short')
    assert.equal(await identity.passwordFault('nine char', EMAIL), 'too_short')
    assert.equal(await identity.passwordFault('ten chars!', EMAIL), undefined)
  })

  test('must not be common, or the person’s own email', async () => {
    const bad = [
      'password123',
      '1234567890',
      'qwertyuiop',
      'letmeinletmein',
      'iloveyou1234',
      'aaaaaaaaaaaa',
      'abcdefghijkl',
      'PASSWORD1234',
      'P@ssw0rd1234',
      EMAIL,
      EMAIL.toUpperCase(),
      'marguerite1',
    ]
    for (const password of bad) assert.ok(await identity.passwordFault(password, EMAIL), password)
    const good = ['a walk along the shore', 'gV7#kp!2xQ', 'correct horse battery staple']
    for (const password of good) {
      assert.equal(await identity.passwordFault(password, EMAIL), undefined, password)
    }
  })

  // S15
  test('is rejected if a season, a place, a name or the email makes it easy to guess', async () => {
    const bad = ['Summer2024!', 'Winter2025?', 'Chicago1985!', 'purser2026!']
    for (const password of bad) assert.ok(await identity.passwordFault(password, EMAIL), password)
  })

  // S1
  test('is estimated in threads, while the event loop stays idle', async () => {
    const hardest = '4@8({[<3€61!|70$5+7%2'.repeat(12)
    await identity.passwordFault(hardest, EMAIL)
    const before = performance.eventLoopUtilization()
    await Promise.all(Array.from({ length: 12 }, () => identity.passwordFault(hardest, EMAIL)))
    const { utilization } = performance.eventLoopUtilization(before)
    assert.ok(utilization < 0.5, `the event loop was busy for ${utilization} of the time`)
    const flood = Array.from({ length: 60 }, () => identity.passwordFault(hardest, EMAIL))
    const outcomes = await Promise.allSettled(flood)
    const refused = outcomes.filter(({ status }) => status === 'rejected')
    assert.equal(refused.length, 10)
  })

  test('of any text is estimated without an error', async () => {
    const text = fc.string({ unit: 'grapheme', maxLength: 300 })
    await fc.assert(
      fc.asyncProperty(text, async (password) => {
        const fault = await identity.passwordFault(password, EMAIL)
        assert.ok(fault === undefined || FAULTS.includes(fault), fault)
      }),
      { numRuns: 60 },
    )
  })

  test('may have any characters, including spaces, up to 256, and is compared exactly', async () => {
    const long = 'the tide comes in at seven and leaves at noon '.repeat(6).slice(0, 256)
    const good = [
      'only lower case words here',
      '  spaces at both ends  ',
      'Ебжикъ 海潮 🌊 éclair',
      long,
    ]
    for (const password of good) {
      assert.equal(await identity.passwordFault(password, EMAIL), undefined, password)
      const hash = await identity.hashPassword(password)
      assert.ok(await identity.hasPassword(hash, password), password)
      for (const other of [password.slice(0, -1), `${password} `.slice(1), swapCase(password)]) {
        assert.ok(!(await identity.hasPassword(hash, other)), other)
      }
    }
    assert.equal(await identity.passwordFault(`${long}x`, EMAIL), 'too_long')
  })

  test('is hashed with at least the memory and passes that OWASP recommends for argon2id', async () => {
    const hash = await identity.hashPassword('a walk along the shore')
    const [, memory, passes] = /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=1\$/.exec(hash) ?? []
    assert.ok(Number(memory) >= 19_456 && Number(passes) >= 2, hash)
  })

  test('is stored as an argon2id hash, and a missing one is compared with another hash', async () => {
    const hash = await identity.hashPassword('a walk along the shore')
    assert.match(hash, /^\$argon2id\$/)
    assert.ok(await identity.hasPassword(hash, 'a walk along the shore'))
    assert.ok(!(await identity.hasPassword(hash, 'a walk along the pier')))
    assert.ok(!(await identity.hasPassword(null, 'a password of no user')))
  })
})

test('a second factor is required if there is one; recovery codes alone are not one', () => {
  const owes = (has_authenticator: boolean, passkeys: number) =>
    identity.owesFactor({ has_authenticator, passkeys, recovery_codes: 10 })
  assert.deepEqual(
    [owes(false, 0), owes(true, 0), owes(false, 2), owes(true, 1)],
    [false, true, true, true],
  )
})

test('authentication is recent for ten minutes', () => {
  const now = new Date('2026-03-10T12:00:00Z')
  const ago = (seconds: number) => ({ authenticated_at: new Date(now.getTime() - seconds * 1000) })
  assert.ok(identity.isRecent(now, ago(0)))
  assert.ok(identity.isRecent(now, ago(599)))
  assert.ok(!identity.isRecent(now, ago(600)))
})

test('parses a browser’s passkey response, or rejects it', () => {
  const client = Buffer.from(JSON.stringify({ challenge: 'abc' })).toString('base64url')
  const good = JSON.stringify({ id: 'key', response: { clientDataJSON: client } })
  const { credential_id, challenge } = identity.readPasskeyAnswer(good)!
  assert.deepEqual({ credential_id, challenge }, { credential_id: 'key', challenge: 'abc' })
  for (const bad of [
    '',
    'null',
    '{}',
    '[]',
    '{"id":1}',
    '{"id":"key","response":{}}',
    JSON.stringify({ id: 'key', response: { clientDataJSON: 'bm8ganNvbg' } }),
    JSON.stringify({ id: 'key', response: { clientDataJSON: 'e30' } }),
  ]) {
    assert.equal(identity.readPasskeyAnswer(bad), undefined, bad)
  }
})

function swapCase(text: string): string {
  return text.replaceAll(/\p{L}/gu, (char) =>
    char === char.toLowerCase() ? char.toUpperCase() : char.toLowerCase(),
  )
}
