import { Secret, TOTP } from 'otpauth'
import type { UserId } from '#platform/ids'
import type { RecordedTry } from './factor-record.ts'
import type { Fixture } from './fixture.ts'
import type { SeededRandom } from './random.ts'

const STEP_SECONDS = 30

/** The time step of an authenticator app at a time. */
export const stepAt = (at: Date) => Math.floor(at.getTime() / 1000 / STEP_SECONDS)

/** The code that an authenticator app with this secret shows in a time step. */
export function codeIn(secret: string, step: number): string {
  const totp = new TOTP({ secret: Secret.fromBase32(secret) })
  return totp.generate({ timestamp: step * STEP_SECONDS * 1000 })
}

/** What a person types as a second factor. */
export type Typed = Pick<RecordedTry, 'kind' | 'text' | 'secret' | 'step'>

/** A code of an app, some steps before or after the present one. */
export function codeOf({ world }: Fixture, secret: string, steps = 0): Typed {
  const step = stepAt(world.clock.now()) + steps
  return { kind: 'code', text: codeIn(secret, step), secret, step }
}

/** What an owner types: most often a code that is valid, or one that was used, or expired. */
export function someFactor(fixture: Fixture, rng: SeededRandom, user_id: UserId): Typed {
  const { record } = fixture
  const apps = record.authenticators.filter((app) => app.user_id === user_id)
  const secret = apps.at(-1)?.secret
  const sets = record.recovery_codes.filter((each) => each.user_id === user_id)
  const tries = record.tries.filter((each) => each.user_id === user_id)
  const draw = rng.below(100)
  const last = tries.filter(({ kind }) => kind !== 'recovery_code').at(-1)
  if (last && draw < 12) {
    const { text, secret: of, step } = last
    return {
      kind: 'code',
      text,
      ...(of !== undefined && step !== undefined && { secret: of, step }),
    }
  }
  if (secret && draw < 60) return codeOf(fixture, secret, rng.pick([0, 0, 0, 1, -1]))
  if (secret && draw < 68) return codeOf(fixture, secret, rng.pick([-2, -3, 2, 3]))
  const other = apps.find((app) => app.secret !== secret)
  if (other && draw < 74) return codeOf(fixture, other.secret)
  const set = draw < 92 ? sets.at(-1) : rng.odds(50) ? sets[0] : record.recovery_codes.at(0)
  if (!set) return { kind: 'code', text: '135790' }
  const before = new Set(tries.map(({ text }) => readCode(text)))
  const unused = set.codes.filter((code) => !before.has(readCode(code)))
  const used = set.codes.filter((code) => before.has(readCode(code)))
  const isUsed = unused.length === 0 || (used.length > 0 && rng.odds(40))
  const code = rng.pick(isUsed ? used : unused)
  return { kind: 'recovery_code', text: rng.odds(20) ? code.toUpperCase() : code }
}

/** A recovery code, however it is typed. */
export const readCode = (text: string) => text.toLowerCase().replaceAll(/[^0-9a-z]/g, '')
