import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, test } from 'node:test'
import type { Database } from '#platform/db'
import { columnsOf, fieldsOf, rowsOf, sql } from '#platform/sql'
import { type Writes, writeAll, writeTogether } from '#platform/write-together'
import { openTestDatabase } from '../support/database.ts'
import { countStatements, type StatementCounter } from '../support/statement-count.ts'

const TYPES = { id: 'text', amount: 'bigint', at: 'timestamptz', note: 'jsonb' } as const
const AT = new Date('2026-11-27T12:00:00.123Z')

let db: Database
let counter: StatementCounter
before(async () => {
  db = await openTestDatabase()
  await db.raw(`create table jars (id text primary key, amount bigint not null, at timestamptz,
    note jsonb)`)
  counter = countStatements()
})
after(async () => {
  counter.stop()
  await db.close()
})
beforeEach(async () => {
  await db.raw('delete from jars')
})

interface Jar {
  id: string
  amount: number
  at?: Date
  note?: string
}

const add = (writes: Writes, jar: Jar) =>
  writes.run(sql`insert into jars (${columnsOf(TYPES)}) select * from ${rowsOf([jar], TYPES)}
    on conflict do nothing`)

const change = (writes: Writes, jar: { id: string; amount: number }) =>
  writes.run(sql`update jars set ${fieldsOf({ amount: 'bigint' })}
    from ${rowsOf([jar], { id: 'text', amount: 'bigint' })} where jars.id = row.id`)

const jars = async () => await db.rows<Jar>(sql`select id, amount, at, note from jars order by id`)

describe('rows that are written together', () => {
  test('arrive with their types, quotes, dates and nulls', async () => {
    const odd = `{"a": "it's, \\"here\\" {}"}`
    await add(db, { id: `o'n"e, {}`, amount: 9_007_199_254_740_991, at: AT, note: odd })
    await add(db, { id: 'two', amount: 0 })
    assert.deepEqual(await jars(), [
      { id: `o'n"e, {}`, amount: 9_007_199_254_740_991, at: AT, note: JSON.parse(odd) },
      { id: 'two', amount: 0, at: null, note: null },
    ])
  })

  test('share one statement, and each write gets the number of its own', async () => {
    const counts = await writeTogether(db, (writes) => [
      add(writes, { id: 'a', amount: 1 }),
      add(writes, { id: 'b', amount: 2, at: AT }),
      add(writes, { id: 'c', amount: 3 }),
    ])
    assert.deepEqual(counts, [1, 1, 1])
    assert.deepEqual(
      (await jars()).map(({ id, amount }) => [id, amount]),
      [
        ['a', 1],
        ['b', 2],
        ['c', 3],
      ],
    )
    const changed = await writeTogether(db, (writes) => [
      change(writes, { id: 'a', amount: 10 }),
      change(writes, { id: 'c', amount: 30 }),
      writes.run(sql`delete from jars where id = 'b'`),
    ])
    assert.deepEqual(changed, [1, 1, 1])
    assert.deepEqual(
      (await jars()).map(({ amount }) => amount),
      [10, 30],
    )
  })

  test('send the same text however many they are, so that it is planned once', async () => {
    if (db.engine !== 'postgresql') return
    const texts = async (count: number) => {
      const sent: string[] = []
      const recorder = { ...db, one: record(sent, db.one), run: record(sent, db.run) }
      await writeTogether(recorder as Database, (writes) => [
        ...Array.from({ length: count }, (_, at) =>
          add(writes, { id: `${count}_${at}`, amount: 1 }),
        ),
        writes.run(sql`delete from jars where id = 'none'`),
      ])
      return sent
    }
    assert.deepEqual(await texts(2), await texts(5))
  })

  test('are all refused where the statement skipped one, as no one knows whose', async () => {
    await add(db, { id: 'taken', amount: 1 })
    const written = db.tx((tx) =>
      writeTogether(tx, (writes) => [
        add(writes, { id: 'taken', amount: 2 }),
        add(writes, { id: 'free', amount: 2 }),
      ]),
    )
    await assert.rejects(written, /skipped rows/)
    assert.deepEqual(
      (await jars()).map(({ id }) => id),
      ['taken'],
    )
    assert.equal(await add(db, { id: 'taken', amount: 3 }), 0, 'alone it is counted')
  })
})

test('changes are written as one statement, then finished one after another', async () => {
  const seen: string[] = []
  const prepare = (id: string) => ({
    write: (writes: Writes) => add(writes, { id, amount: 1 }),
    async finish() {
      seen.push(id)
      return (await jarsIn()).length
    },
  })
  let jarsIn = jars
  const { statements } = await counter.within(async () => {
    const counts = await db.tx(async (tx) => {
      jarsIn = async () => await tx.rows<Jar>(sql`select id from jars`)
      return await writeAll(tx, [prepare('x'), prepare('y')])
    })
    assert.deepEqual(counts, [2, 2], 'each sees what all wrote')
  })
  assert.deepEqual(seen, ['x', 'y'])
  if (db.engine === 'postgresql') assert.equal(statements, 5, 'begin, insert, two reads, commit')
})

function record<Args extends [{ text: string }], Result>(
  sent: string[],
  ask: (...args: Args) => Promise<Result>,
) {
  return async (...args: Args) => {
    sent.push(args[0].text)
    return await ask(...args)
  }
}
