import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import fc from 'fast-check'
import * as licensing from '#domain/licensing'
import { sql } from '#platform/sql'
import { historyOf } from '../support/licenses.ts'
import { openTestService, type TestService } from '../support/service.ts'
import { subscribe } from '../support/subscriber.ts'

let service: TestService
before(async () => {
  service = await openTestService()
})
after(() => service.close())

const { LICENSE_STATUSES, TRANSITIONS, mayTransition: mayMove } = licensing
const TRIGGERS = [...new Set(TRANSITIONS.map(({ trigger }) => trigger))]

test('the table of transitions matches the specification', () => {
  const lines = TRIGGERS.map((trigger) => {
    const steps = TRANSITIONS.filter((step) => step.trigger === trigger)
    const from = [...new Set(steps.map((step) => step.from))].join(' ')
    const to = [...new Set(steps.map((step) => step.to))].join(' ')
    return `${trigger}: ${from} -> ${to}`
  })
  assert.deepEqual(lines, [
    'renewed: active trialing -> active',
    'upgraded: active trialing -> active one_time_active',
    'plan_changed: trialing -> trialing',
    'trial_extended: trialing -> trialing',
    'renewal_failed: active trialing -> past_due',
    'retries_ended: past_due -> unpaid',
    'recovered: past_due unpaid -> active',
    'dunning_exhausted: past_due unpaid -> canceled',
    'period_ended: active trialing past_due unpaid paused -> canceled',
    'refunded: active trialing one_time_active past_due unpaid paused -> canceled',
    'disputed: active trialing one_time_active past_due unpaid -> paused',
    'suspended: active trialing one_time_active past_due unpaid -> paused',
    'buyer_paused: active -> paused',
    'resumed: paused -> active trialing one_time_active past_due unpaid',
    'dispute_lost: active trialing one_time_active past_due unpaid paused -> canceled',
    'preview_ended: preview -> canceled',
    'comp_ended: active one_time_active paused -> canceled',
    'import_changed: active one_time_active -> active one_time_active',
    'import_ended: active one_time_active paused -> canceled',
    'source_ended: active one_time_active paused -> canceled',
    'continued: active -> active',
    'account_deleted: active trialing one_time_active past_due unpaid paused -> canceled',
  ])
})

test('a canceled license never changes, and a preview only by its seller', () => {
  assert.ok(TRANSITIONS.every(({ from }) => from !== 'canceled'))
  const fromPreview = TRANSITIONS.filter(({ from }) => from === 'preview')
  assert.deepEqual(fromPreview, [{ trigger: 'preview_ended', from: 'preview', to: 'canceled' }])
})

test('a license makes every transition of the table and no other, and each is recorded in its history', async () => {
  const { world, clock } = service
  const { license_id } = await subscribe(service)
  const statusOf = async () => (await licensing.getLicense(world.db, license_id)).status
  const step = fc.record({
    trigger: fc.constantFrom(...TRIGGERS),
    to: fc.constantFrom(...LICENSE_STATUSES),
    begin: fc.constantFrom(...LICENSE_STATUSES),
  })
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 12 }), async (steps) => {
      for (const { trigger, to, begin } of steps) {
        const isPaused = begin === 'paused'
        await world.db.run(sql`update licenses set status = ${begin},
          paused_from = ${isPaused ? 'active' : null}, paused_for = ${isPaused ? 'staff' : null}
          where id = ${license_id}`)
        const before = (await historyOf(world.db, license_id)).length
        const paused_for = to === 'paused' ? { paused_for: 'staff' as const } : {}
        const moving = world.db.tx((tx) =>
          licensing.transition(tx, clock.now(), { license_id, trigger, to, ...paused_for }),
        )
        const allowed = mayMove({ trigger, from: begin, to })
        if (allowed) await moving
        else await assert.rejects(moving, /cannot go/)
        assert.equal(await statusOf(), allowed ? to : begin)
        const lines = await historyOf(world.db, license_id)
        assert.equal(lines.length, before + (allowed ? 1 : 0))
        if (!allowed) continue
        const { from_status, to_status, trigger: why } = lines.at(-1)!
        assert.deepEqual([from_status, to_status, why], [begin, to, trigger])
      }
    }),
    { numRuns: 60, seed: 5 },
  )
})

test('the history of a license is append-only', async () => {
  const { db } = service.world
  await assert.rejects(db.run(sql`update license_history set trigger = 'x'`), /append only/)
  await assert.rejects(db.run(sql`delete from license_history`), /append only/)
})
