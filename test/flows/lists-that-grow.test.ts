import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { addSeconds } from '#platform/calendar'
import { sql } from '#platform/sql'
import type { Agent } from '../support/agent.ts'
import { buyAndRefundTwice } from '../support/excess.ts'
import { buy } from '../support/refunds.ts'
import { signedIn } from '../support/seller.ts'
import { openTestService, type TestService } from '../support/service.ts'

const ON_A_PAGE = 50

let service: TestService
before(async () => {
  service = await openTestService()
})
after(() => service.close())

/** Reads two pages of a list; a row is added between them. Returns how often each has a text. */
async function readWhileItGrows(
  agent: Agent,
  list: { path: string; id: string; add(place: number): Promise<void>; of: RegExp; last: RegExp },
) {
  for (let place = 0; place < ON_A_PAGE; place++) await list.add(place)
  const count = (pattern: RegExp) => {
    const panel = agent.page.body.split(`id="${list.id}"`)[1]!
    return [...panel.matchAll(pattern)].length
  }
  await agent.open(list.path)
  const first = [count(list.of), count(list.last)]
  await list.add(ON_A_PAGE)
  await agent.press('Older')
  return { first, second: [count(list.of), count(list.last)] }
}

const EXPECTED = { first: [ON_A_PAGE, 0], second: [0, 1] }

test('the timeline of a customer repeats and skips no event that it had when it was read', async () => {
  const { license_id } = await buy(service)
  const start = service.clock.now()
  service.clock.pass(3600)
  const addEmail = async (kind: string, place: number) => {
    const id = `eml_grow${kind.length}_${place}`
    await service.world.db.run(sql`insert into emails (id, cause, kind, subject_id, queued_at)
      values (${id}, ${id}, ${kind}, ${license_id}, ${addSeconds(start, place + 2)})`)
  }
  await addEmail('trial_ending', -1)
  const seller = await signedIn(service, service.demo.seller)
  const read = await readWhileItGrows(seller, {
    path: `/dashboard/apps/tidepool/customers/${license_id}/`,
    id: 'timeline',
    add: (place) => addEmail('renewal_reminder', place),
    of: /Renewal reminder/g,
    last: /Trial ending/g,
  })
  assert.deepEqual(read, EXPECTED)
})

test('the history of an excess repeats and skips no settlement that it had when it was read', async () => {
  const { user_id } = await buyAndRefundTwice(service, 500)
  const start = service.clock.now()
  const addReversal = async (amount: number, place: number) => {
    const at = addSeconds(start, Math.floor(place / 2))
    await service.world.db.run(sql`insert into write_off_reversals
      values (${`wor_grow${amount}x${place}`}, ${user_id}, ${amount}, ${at})`)
  }
  await addReversal(777, -2)
  const staff = await signedIn(service, service.demo.operator)
  const read = await readWhileItGrows(staff, {
    path: `/admin/excess/${user_id}/`,
    id: 'history',
    add: (place) => addReversal(111, place),
    of: /\$1\.11/g,
    last: /\$7\.77/g,
  })
  assert.deepEqual(read, EXPECTED)
})
