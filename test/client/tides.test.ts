import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { feetAt, HOUR, nextBelow, turns } from '../../examples/shared/tides.ts'

const instant = fc.date({
  min: new Date('2020-01-01'),
  max: new Date('2035-01-01'),
  noInvalidDate: true,
})

test('high and low water alternate, each higher or lower than the hour around it', () => {
  fc.assert(
    fc.property(instant, (date) => {
      const from = date.getTime()
      const found = turns(from, from + 7 * 24 * HOUR)
      assert.ok(found.length >= 20 && found.length <= 30)
      for (const [index, { time, feet, kind }] of found.entries()) {
        const sign = kind === 'high' ? 1 : -1
        assert.ok(sign * (feet - feetAt(time - HOUR)) > 0)
        assert.ok(sign * (feet - feetAt(time + HOUR)) > 0)
        assert.notEqual(found[index + 1]?.kind, kind)
      }
    }),
    { numRuns: 20 },
  )
})

test('a walk is a future interval in which the water stays below the zone', () => {
  fc.assert(
    fc.property(instant, fc.constantFrom(4, 1.8, 0), (date, level) => {
      const now = date.getTime()
      const span = nextBelow(level, now)
      assert.ok(span && span.from >= now && span.to > span.from)
      for (let time = span.from + 1_000; time < span.to - 1_000; time += HOUR / 6) {
        assert.ok(feetAt(time) < level)
      }
      assert.ok(Math.abs(feetAt(span.to) - level) < 0.01)
    }),
    { numRuns: 50 },
  )
})
