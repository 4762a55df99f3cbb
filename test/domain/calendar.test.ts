import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { addDays, FREQUENCIES, isoDate, isoSeconds, periodEnd, readDay } from '#platform/calendar'

const days = (anchor: string, frequency: 'month' | 'year', count: number) =>
  Array.from({ length: count }, (_, index) =>
    isoDate(periodEnd(new Date(anchor), frequency, index + 1)),
  )

test('the 31st is kept in every month that has one, for four years', () => {
  const leap = [29, 28, 28, 28]
  const expected = [2024, 2025, 2026, 2027].flatMap((year, index) => {
    const lengths = [31, leap[index]!, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
    return lengths.map((length, month) => `${year}-${String(month + 1).padStart(2, '0')}-${length}`)
  })
  // The anchor is January of the first year, so the periods end from February on.
  const ends = days('2024-01-31T23:59:59.999Z', 'month', 48)
  assert.deepEqual(ends, [...expected.slice(1), '2028-01-31'])
})

test('the 30th is shortened in February only, and the 29th in three of four Februaries', () => {
  assert.deepEqual(days('2026-01-30T00:00:00Z', 'month', 3), [
    '2026-02-28',
    '2026-03-30',
    '2026-04-30',
  ])
  assert.deepEqual(
    days('2024-01-29T00:00:00Z', 'month', 14).filter((day) => day.includes('-02-')),
    ['2024-02-29', '2025-02-28'],
  )
})

test('February 29 returns in every leap year, and 2100 is not one', () => {
  assert.deepEqual(days('2024-02-29T12:00:00Z', 'year', 8), [
    '2025-02-28',
    '2026-02-28',
    '2027-02-28',
    '2028-02-29',
    '2029-02-28',
    '2030-02-28',
    '2031-02-28',
    '2032-02-29',
  ])
  const end = (count: number) => isoDate(periodEnd(new Date('2024-02-29T12:00:00Z'), 'year', count))
  assert.deepEqual([end(76), end(80)], ['2100-02-28', '2104-02-29'])
})

test('days and weeks have whole days, regardless of daylight saving time', () => {
  const anchor = new Date('2026-03-07T10:00:00Z')
  assert.equal(periodEnd(anchor, 'day', 3).toISOString(), '2026-03-10T10:00:00.000Z')
  assert.equal(periodEnd(anchor, 'week', 2).toISOString(), '2026-03-21T10:00:00.000Z')
})

test('periods have a positive length, end at the anchor’s time and leave no gap', () => {
  const anchor = fc.date({
    min: new Date('2020-01-01T00:00:00Z'),
    max: new Date('2099-12-31T23:59:59Z'),
    noInvalidDate: true,
  })
  fc.assert(
    fc.property(anchor, fc.constantFrom(...FREQUENCIES), (from, frequency) => {
      let before = from
      for (let count = 1; count <= 30; count++) {
        const end = periodEnd(from, frequency, count)
        assert.ok(end > before)
        assert.equal(end.toISOString().slice(11), from.toISOString().slice(11))
        const longest = { day: 1, week: 7, month: 31, year: 366 }[frequency]
        assert.ok(end <= addDays(before, longest))
        before = end
      }
    }),
    { numRuns: 2000, seed: 1 },
  )
})

test('formats days and instants in UTC', () => {
  const at = new Date('2026-03-10T23:59:59.999-05:00')
  assert.equal(isoDate(at), '2026-03-11')
  assert.equal(isoSeconds(at), '2026-03-11T04:59:59Z')
})

test('a text is a day only if its month has it', () => {
  assert.equal(readDay('2024-02-29')?.toISOString(), '2024-02-29T00:00:00.000Z')
  for (const text of ['2026-02-29', '2026-04-31', '2026-13-01', '0000-01-01', '2026-1-1', '']) {
    assert.equal(readDay(text), undefined, text)
  }
})
