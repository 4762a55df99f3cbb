import { decideAboutApp, decideAboutSeller } from '#flows/staff-actions'
import type { AppId, SellerId } from '#platform/ids'
import { actingStaff } from './actors.ts'
import type { Fixture } from './fixture.ts'
import type { SeededRandom } from './random.ts'
import { payoutsTo, purchasesOf, type SwitchName, salesOf, setSwitch } from './switches.ts'

/** What staff decide about apps and sellers, with its relative frequency. */
export const SUSPENSION_ACTIONS = [
  { name: 'suspend a seller', weight: 2, act: suspendSeller },
  { name: 'pause payouts', weight: 2, act: pausePayouts },
  { name: 'suspend an app', weight: 2, act: suspendApp },
  { name: 'end a suspension', weight: 8, act: endSome },
] as const

async function suspendSeller(fixture: Fixture, rng: SeededRandom): Promise<string> {
  const { seller_id } = rng.pick(fixture.sellers)
  return await twice(rng, () => setSellerState(fixture, seller_id, { to: false, kind: 'active' }))
}

async function pausePayouts(fixture: Fixture, rng: SeededRandom): Promise<string> {
  const { seller_id } = rng.pick(fixture.sellers)
  return await twice(rng, () => setSellerState(fixture, seller_id, { to: false, kind: 'payouts' }))
}

async function suspendApp(fixture: Fixture, rng: SeededRandom): Promise<string> {
  const { id } = rng.pick(fixture.shops)
  return await twice(rng, () => setAppState(fixture, id, false))
}

/** Two members of staff may decide the same. */
async function twice(rng: SeededRandom, decide: () => Promise<string>): Promise<string> {
  return (await Promise.all(rng.odds(15) ? [decide(), decide()] : [decide()])).join(' and ')
}

/** Staff end a suspension of a seller or an app, or a pause of payouts, that began before. */
async function endSome(fixture: Fixture, rng: SeededRandom): Promise<string | undefined> {
  const decided = fixture.record.switches.filter(({ subject }) => KINDS.test(subject))
  const last = new Map(decided.map(({ subject, to }) => [subject as SwitchName, to]))
  const names = [...last.keys()].filter((name) => !last.get(name))
  if (names.length === 0) return undefined
  const [kind, id] = rng.pick(names).split(' ')
  if (kind === 'allowed') return await setAppState(fixture, id as AppId, true)
  return await setSellerState(fixture, id as SellerId, { to: true, kind: kind as SellerSwitch })
}

const KINDS = /^(active|payouts|allowed) /

/** What staff decide about a seller. */
type SellerSwitch = 'active' | 'payouts'

const SELLER_DECISIONS = {
  active: ['suspended', 'reinstated'],
  payouts: ['payouts_paused', 'payouts_resumed'],
} as const

async function setSellerState(
  fixture: Fixture,
  seller_id: SellerId,
  { to, kind }: { to: boolean; kind: SellerSwitch },
): Promise<string> {
  const recorded = kind === 'active' ? salesOf(seller_id) : payoutsTo(seller_id)
  const what = SELLER_DECISIONS[kind][to ? 1 : 0]
  return await setSwitch(fixture, { name: `${kind} ${seller_id}`, to, recorded }, async () => {
    const is_made = await decideAboutSeller(fixture.world, staff(fixture), { seller_id, what })
    return { is_made, outcome: `${seller_id} ${is_made ? what : `${what} before`}` }
  })
}

async function setAppState(fixture: Fixture, app_id: AppId, to: boolean): Promise<string> {
  const what = to ? 'reinstated' : 'suspended'
  const turned = { name: `allowed ${app_id}`, to, recorded: purchasesOf(app_id) } as const
  return await setSwitch(fixture, turned, async () => {
    const is_made = await decideAboutApp(fixture.world, staff(fixture), { app_id, what })
    return { is_made, outcome: `${app_id} ${is_made ? what : `${what} before`}` }
  })
}

function staff({ operator_id }: Fixture) {
  return { ...actingStaff(operator_id), reason: 'A look at it.' }
}
