import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { audit } from '#platform/audit'
import { ConfigError } from '#platform/config'
import {
  afterCommit,
  assertNoTransaction,
  type Database,
  type Db,
  isUniqueViolation,
  type TransactionOptions,
} from '#platform/db'
import { runOrDryRun } from '#platform/dry-run'
import { migrate } from '#platform/migrate'
import { migrations } from '#platform/migrations'
import { sql } from '#platform/sql'
import { untilBlocked } from '../support/blocked.ts'
import { openTestDatabase } from '../support/database.ts'
import { testId } from '../support/ids.ts'

let db: Database
before(async () => {
  db = await openTestDatabase()
  await db.raw('create table jars (id text primary key, shells bigint not null)')
})
after(() => db.close())

const shellsIn = async (on: Db) =>
  (await on.rows<{ shells: number }>(sql`select * from jars`)).length
const shells = () => shellsIn(db)

test('an error in a transaction rolls it back, and the next one works', async () => {
  await assert.rejects(
    db.tx(async (tx) => {
      await tx.run(sql`insert into jars values ('a', 1)`)
      throw new Error('dropped')
    }),
    /dropped/,
  )
  assert.equal(await shells(), 0)
  await db.tx((tx) => tx.run(sql`insert into jars values ('a', 1)`))
  assert.equal(await shells(), 1)
})

test('a failed statement leaves the connection usable, and names a violated unique constraint', async () => {
  const error = await db.run(sql`insert into jars values ('a', 2)`).catch((caught) => caught)
  assert.equal(isUniqueViolation(error), true)
  assert.equal(isUniqueViolation(error, 'jars_pkey'), true)
  assert.equal(isUniqueViolation(error, 'jars_other'), false)
  assert.equal(await shells(), 1)
})

// The queue's library runs its upkeep so: on a full disk, each statement after it was refused.
test('statements that fail after a begin among them leave the connection usable', async () => {
  const text = "begin; insert into jars values ('b', 1); select 1 / 0; commit"
  await assert.rejects(db.raw(text), /division by zero/)
  await assert.rejects(
    db.alone((own) => own.raw(text)),
    /division by zero/,
  )
  assert.equal(await shells(), 1)
  assert.equal(await db.tx(shellsIn), 1)
})

test('a transaction refuses the outer database, a second transaction and outside calls', async () => {
  await db.tx(async () => {
    await assert.rejects(async () => db.rows(sql`select 1`), /while a transaction is open/)
    await assert.rejects(async () => db.tx(async () => {}), /while a transaction is open/)
    assert.throws(() => assertNoTransaction('a mail was sent'), /a mail was sent while/)
  })
})

test('hooks run in order once their transaction is committed, outside of it', async () => {
  const seen: string[] = []
  await db.tx(async (tx) => {
    afterCommit(() => {
      assertNoTransaction('the first hook')
      seen.push('first')
    })
    afterCommit(() => seen.push('second'))
    await tx.run(sql`select 1`)
    assert.deepEqual(seen, [])
  })
  assert.deepEqual(seen, ['first', 'second'])
  afterCommit(() => seen.push('at once'))
  assert.equal(seen.at(-1), 'at once')
})

test('hooks of a transaction that is rolled back never run', async () => {
  const seen: string[] = []
  const dropped = async () => {
    afterCommit(() => seen.push('hook'))
    throw new Error('dropped')
  }
  await assert.rejects(db.tx(dropped), /dropped/)
  // Refused at the commit: the row that it names must exist by then.
  await db.raw(`create table lids (jar text references jars deferrable initially deferred)`)
  const refused = async (tx: Db) => {
    afterCommit(() => seen.push('hook'))
    await tx.run(sql`insert into lids values ('missing')`)
  }
  await assert.rejects(db.tx(refused), /foreign key/)
  assert.equal(
    await runOrDryRun(db, { dry_run: true }, async () => afterCommit(() => seen.push('hook'))),
    undefined,
  )
  await db.tx(async () => {})
  assert.deepEqual(seen, [])
})

test('fifty transactions that each read and write one row add up', async () => {
  await db.run(sql`insert into jars values ('sum', 0)`)
  await Promise.all(
    Array.from({ length: 50 }, () =>
      db.tx(async (tx) => {
        const jar = await tx.one<{ shells: number }>(
          sql`select shells from jars where id = 'sum' for update`,
        )
        await tx.run(sql`update jars set shells = ${jar.shells + 1} where id = 'sum'`)
      }),
    ),
  )
  assert.deepEqual(await db.hot(sql`select shells from jars where id = 'sum'`), [{ shells: 50 }])
})

test('two transactions that wait for each other are both saved', async () => {
  await db.run(sql`insert into jars values ('left', 0), ('right', 0)`)
  let waiting = 0
  const both = Promise.withResolvers<void>()
  const addTo = (first: string, second: string) =>
    db.tx(async (tx) => {
      await tx.run(sql`update jars set shells = shells + 1 where id = ${first}`)
      // On the embedded engine the second one begins when the first one has ended.
      if (++waiting === 2 || db.engine === 'embedded') both.resolve()
      await both.promise
      await tx.run(sql`update jars set shells = shells + 1 where id = ${second}`)
    })
  await Promise.all([addTo('left', 'right'), addTo('right', 'left')])
  const jars = await db.rows(sql`select shells from jars where id in ('left', 'right')`)
  assert.deepEqual(jars, [{ shells: 2 }, { shells: 2 }])
  // The one that runs again may be first again, and so meet the other once more.
  if (db.engine === 'embedded') assert.equal(waiting, 2)
  else assert.ok(waiting >= 3, 'one of them ran again')
})

test('a transaction and a statement that wait for each other are both saved', async () => {
  await db.run(sql`insert into jars values ('top', 0), ('bottom', 0)`)
  const locked = Promise.withResolvers<void>()
  const adding = locked.promise.then(() =>
    db.run(sql`with above as (update jars set shells = shells + 1 where id = 'top' returning id)
      update jars set shells = shells + 1
      where id = 'bottom' and exists (select from above)`),
  )
  let tries = 0
  await db.tx(async (tx) => {
    await tx.run(sql`update jars set shells = shells + 1 where id = 'bottom'`)
    locked.resolve()
    if (++tries === 1) await untilBlocked(tx, db)
    await tx.run(sql`update jars set shells = shells + 1 where id = 'top'`)
  })
  assert.equal(await adding, 1)
  const jars = await db.rows(sql`select shells from jars where id in ('top', 'bottom')`)
  assert.deepEqual(jars, [{ shells: 2 }, { shells: 2 }])
})

test('with generic plans, a statement is not planned for its values, and others are', async (t) => {
  if (db.engine === 'embedded') return t.skip('its one session plans for values')
  const plansOf = async (name: string, options?: TransactionOptions) => {
    const seen = sql`select id from jars where id = ${name}`
    return await db.tx(async (tx) => {
      await tx.rows(seen)
      const plans = sql`select generic_plans > 0 as generic, custom_plans > 0 as custom
        from pg_prepared_statements where name = ${seen.name}`
      return await tx.one(plans)
    }, options)
  }
  assert.deepEqual(await plansOf('a'), { generic: false, custom: true })
  assert.deepEqual(await plansOf('b', { generic_plans: true }), { generic: true, custom: true })
})

test('a series of transactions lets timers and requests in between', async () => {
  let isLetIn = false
  setTimeout(() => {
    isLetIn = true
  })
  for (let count = 0; count < 1000 && !isLetIn; count++) {
    await db.tx((tx) => tx.run(sql`select count(*) from generate_series(1, 1000)`))
  }
  assert.ok(isLetIn)
})

test('a message arrives after its transaction commits, and never when it rolls back', async () => {
  const received: string[] = []
  await db.listen(
    'tides',
    (message) => received.push(message),
    () => {},
  )
  await assert.rejects(
    db.tx(async (tx) => {
      await tx.rows(sql`select pg_notify('tides', 'low')`)
      throw new Error('rolled back')
    }),
  )
  await db.tx((tx) => tx.rows(sql`select pg_notify('tides', 'high')`))
  while (received.length === 0) await setImmediate()
  assert.deepEqual(received, ['high'])
})

test("a nested statement keeps both statements' values in place", async () => {
  const rich = sql`shells > ${10}`
  const named = sql`select id from jars where id = ${'sum'} and ${rich} and shells < ${100}`
  assert.deepEqual(await db.rows(named), [{ id: 'sum' }])
})

test('migrations are numbered from 001 without gaps', () => {
  const names = migrations().map(({ name }) => name)
  assert.deepEqual(
    names.map((name) => name.replace(/_[a-z_]+\.sql$/, '')),
    names.map((_, index) => String(index + 1).padStart(3, '0')),
  )
})

test('migrations are applied once', async () => {
  assert.deepEqual(await migrate(db, new Date()), [])
})

test('a database that another version migrated is refused, with the next step', async () => {
  const refused = (pattern: RegExp) => (error: Error) =>
    error instanceof ConfigError && pattern.test(error.message)
  const before = await db.rows(sql`select * from schema_migrations order by name`)
  // A migration from before they were one file a module.
  await db.run(sql`update schema_migrations set name = '074_refunded_sales.sql'
    where name = '016_stripe.sql'`)
  await assert.rejects(
    migrate(db, new Date()),
    refused(/the migration 074_refunded_sales\.sql, which this version .* does not have .*empty/),
  )
  await db.run(sql`update schema_migrations set name = '016_stripe.sql', checksum = 'edited'
    where name = '074_refunded_sales.sql'`)
  await assert.rejects(
    migrate(db, new Date()),
    refused(/016_stripe\.sql, which this version has with another text\. .*empty database/),
  )
  assert.equal((await db.rows(sql`select * from schema_migrations`)).length, before.length)
})

test('the ledger rejects what does not sum to zero, and any change of an entry', async () => {
  await db.run(sql`insert into ledger_transactions values ('txn_1', now(), 'sale', 'one')`)
  const entry = (position: number, amount: number) => sql`('txn_1', ${position}::int, 'fees', '',
    ${amount}::bigint, 'usd')`
  await assert.rejects(
    db.run(sql`insert into ledger_entries values ${entry(1, 100)}, ${entry(2, -99)}`),
    /does not sum to zero/,
  )
  await db.run(sql`insert into ledger_entries values ${entry(1, 100)}, ${entry(2, -100)}`)
  await assert.rejects(db.run(sql`update ledger_entries set amount = 1`), /append only/)
  await assert.rejects(db.run(sql`delete from ledger_transactions`), /append only/)
})

test('the ledger rejects events and accounts that it does not know', async () => {
  await assert.rejects(
    db.run(sql`insert into ledger_transactions values ('txn_2', now(), 'sold', 'two')`),
    /violates check constraint "ledger_transactions_event_check"/,
  )
  await assert.rejects(
    db.run(sql`insert into ledger_entries values ('txn_1', 3, 'cash', '', 1, 'usd')`),
    /violates check constraint "ledger_entries_account_check"/,
  )
})

test('the audit log is append-only', async () => {
  const actor = { kind: 'account', user_id: testId('usr_1'), request_id: 'req_1' } as const
  const entry = { actor, action: 'account.signed_in', subject: 'usr_1' } as const
  await audit(db, new Date('2026-11-22T12:00:00Z'), entry)
  await assert.rejects(db.run(sql`update audit_log set actor = 'usr_2'`), /append only/)
  await assert.rejects(db.run(sql`delete from audit_log`), /append only/)
  await assert.rejects(db.run(sql`truncate audit_log`), /append only/)
})
