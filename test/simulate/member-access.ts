import type { FastifyReply, FastifyRequest } from 'fastify'
import * as apps from '#domain/apps'
import * as identity from '#domain/identity'
import type { SellerPermission } from '#domain/sellers'
import { requireAgentToken } from '#http/guards/agent'
import { type MemberContext, requireMember, requireSeller } from '#http/guards/seller'
import { AnsweredByGuard } from '#http/pages'
import { addSeconds } from '#platform/calendar'
import type { SellerId } from '#platform/ids'
import { Problem } from '#platform/problem'
import { callTool } from '#surfaces/mcp/call'
import { tools } from '#surfaces/mcp/tools'
import { openOwner } from '../support/account.ts'
import { agentToken } from '../support/agent-token.ts'
import { REQUEST } from './actors.ts'
import type { Fixture } from './fixture.ts'
import type { SeededRandom } from './random.ts'
import type { Colleague, KnownSecret, RecordedAccess } from './team-record.ts'

const PERMISSIONS: readonly SellerPermission[] = [
  'view',
  'edit_apps',
  'support',
  'move_data',
  'export_all',
  'payouts',
  'team',
  'account',
  'transfer_apps',
]

/** A person requests something of a seller, for which members need a permission. */
export async function requestSome(
  fixture: Fixture,
  rng: SeededRandom,
  { person, seller_id }: { person: Colleague; seller_id: SellerId },
): Promise<string> {
  const app_id = fixture.shops.find((shop) => shop.seller_id === seller_id)?.id
  const way = app_id ? rng.pick(['form', 'app_form', 'app_page', 'tool'] as const) : 'form'
  const permission = rng.pick(way === 'tool' ? (['view', 'edit_apps'] as const) : PERMISSIONS)
  const access = { way, permission, seller_id, app_id: way === 'form' ? undefined : app_id }
  const { outcome } = await request(fixture, person, access)
  return `${person.email} ${way} ${permission} ${outcome}`
}

type Access = Pick<RecordedAccess, 'way' | 'permission' | 'seller_id' | 'app_id'>

/** Whether a member may open a form of the team, as its guard answers. */
export async function opensTeam(
  fixture: Fixture,
  person: Colleague,
  seller_id: SellerId,
): Promise<boolean> {
  const asked = { way: 'form', permission: 'team', seller_id, app_id: undefined } as const
  return (await request(fixture, person, asked)).outcome === 'allowed'
}

/** A person requests something; records whether it was allowed. A second passes before and after. */
export async function request(
  fixture: Fixture,
  person: Colleague,
  asked: Access,
): Promise<RecordedAccess> {
  const { record, world } = fixture
  const { clock } = fixture.harness
  const is_tool = asked.way === 'tool'
  await (is_tool ? agentOf(fixture, person) : sessionOf(fixture, person))
  clock.pass(1)
  const access: RecordedAccess = {
    ...asked,
    user_id: person.user_id,
    is_change: is_tool ? asked.permission === 'edit_apps' : asked.way !== 'app_page',
    at: world.clock.now(),
    outcome: 'unknown',
  }
  record.accesses.push(access)
  const isAllowed = await (is_tool
    ? calls(fixture, person, access)
    : passes(fixture, person, access))
  access.outcome = isAllowed ? 'allowed' : 'refused'
  access.until = world.clock.now()
  clock.pass(1)
  return access
}

async function sessionOf(fixture: Fixture, person: Colleague): Promise<KnownSecret> {
  const { world, record } = fixture
  return await known(
    fixture,
    { secrets: record.sessions, person, seconds: 5 * 86_400 },
    async () => {
      // Only an account with a confirmed email is let into the pages of a seller.
      await identity.proveMailbox(world.db, world.clock.now(), person.user_id)
      return (await openOwner({ world }, person)).session_id
    },
  )
}

/** How long an agent's token is used: for half of its life. */
const KEPT_SECONDS = 1800

async function agentOf(fixture: Fixture, person: Colleague): Promise<KnownSecret> {
  const { world, record } = fixture
  return await known(fixture, { secrets: record.agents, person, seconds: KEPT_SECONDS }, () =>
    agentToken({ world }, person),
  )
}

/** The secret that a person has had for at most some seconds, or another one. */
async function known(
  { world }: Fixture,
  {
    secrets,
    person,
    seconds,
  }: {
    secrets: Fixture['record']['sessions']
    person: Colleague
    seconds: number
  },
  open: () => Promise<string>,
): Promise<KnownSecret> {
  const now = world.clock.now()
  const before = secrets.get(person.user_id)
  if (before && addSeconds(before.at, seconds) > now) return before
  const opened = { at: now, token: await open() }
  secrets.set(person.user_id, opened)
  return opened
}

/** Whether the guard of a page or a form lets a person's session pass. */
async function passes(
  fixture: Fixture,
  person: Colleague,
  access: RecordedAccess,
): Promise<boolean> {
  const { world } = fixture
  const { token } = await sessionOf(fixture, person)
  const sent = requestOf(token, access, await slugOf(fixture, access))
  const guard: typeof requireMember = access.way === 'form' ? requireMember : requireSeller
  try {
    const context: MemberContext = await guard(world, sent, NO_REPLY, access.permission)
    return context.member.user_id === access.user_id
  } catch (error) {
    if (error instanceof AnsweredByGuard || error instanceof Problem) return false
    throw error
  }
}

const NO_REPLY = {} as FastifyReply

/** What the guards read of a request: its session, and the seller or the app that it names. */
function requestOf(token: string, access: RecordedAccess, slug: string): FastifyRequest {
  const isForm = access.way !== 'app_page'
  return {
    method: isForm ? 'POST' : 'GET',
    url: '/dashboard/',
    id: REQUEST,
    ip: '127.0.0.1',
    headers: {},
    cookies: { '__Host-session': token },
    query: {},
    params: { slug },
    body: isForm ? { csrf_token: `a.${access.seller_id}` } : undefined,
    routeOptions: { url: '/dashboard/', config: {} },
  } as unknown as FastifyRequest
}

async function slugOf({ harness }: Fixture, { app_id }: Pick<RecordedAccess, 'app_id'>) {
  return app_id ? (await apps.get(harness.db, app_id)).slug : ''
}

/** The bearer of a person's token; of another one if an action beside this one let days pass. */
async function bearerOf(fixture: Fixture, person: Colleague): ReturnType<typeof requireAgentToken> {
  const { world } = fixture
  const { token, at } = await agentOf(fixture, person)
  const headers = { authorization: `Bearer ${token}` }
  try {
    return await requireAgentToken(world, { headers } as FastifyRequest)
  } catch (error) {
    const isKept = addSeconds(at, KEPT_SECONDS) > world.clock.now()
    if (!(error instanceof Problem) || isKept) throw error
    return await bearerOf(fixture, person)
  }
}

/** Whether a tool does for an agent what its person asks; changes are only tried. */
async function calls(
  fixture: Fixture,
  person: Colleague,
  access: RecordedAccess,
): Promise<boolean> {
  const { world } = fixture
  const bearer = await bearerOf(fixture, person)
  const app_slug = await slugOf(fixture, access)
  const isChange = access.permission === 'edit_apps'
  const name = isChange ? 'update_app_listing' : 'get_app_listing'
  const tool = tools.find((each) => each.name === name)!
  const args = { app_slug, ...(isChange && { tagline: 'A calm harbor.', dry_run: true }) }
  const caller = { bearer, request_id: REQUEST, agent: 'a test' }
  const { isError, content } = await callTool(world, caller, { tool, args })
  if (!isError) return true
  const text = JSON.stringify(content)
  // A person without a seller accepts the terms by becoming one.
  if (/unknown_app|role_not_allowed|seller_suspended|terms_not_accepted/.test(text)) return false
  throw new Error(`a tool answered ${text}`)
}
