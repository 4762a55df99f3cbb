import * as apps from '#domain/apps'
import * as grants from '#domain/grants'
import type { World } from '#flows/world'
import { bearerToken, credentialsOf } from '#http/authorization'
import { originOf } from '#http/device'
import type { Endpoint } from '#http/endpoint'
import { routePath } from '#http/input'
import { accountActor, audit } from '#platform/audit'
import type { UserId } from '#platform/ids'
import type { Limit } from '#platform/limits'
import { networksOf } from '#platform/networks'
import { Problem } from '#platform/problem'
import type { ServedRequest } from '#platform/served-request'

/** Beyond this, refusals are only logged, so that requests cannot fill the audit log. */
const OF_NETWORK: Limit = { name: 'programs-refused-network', points: 5, seconds: 60 }
const OF_ALL: Limit = { name: 'programs-refused', points: 60, seconds: 60 }

/**
 * Records a program's refusal for its credentials or scope in the audit log. Only clients and
 * tokens that exist are recorded; guesses appear in the request log, like every error.
 */
export async function auditRefusedProgram(
  world: World,
  request: ServedRequest,
  error: string,
): Promise<void> {
  const { db, clock, limits } = world
  if (!(await limits.consume(OF_NETWORK, networksOf(request.ip))).allowed) return
  const refused = await whoWasRefused(world, request)
  if (!refused || !(await limits.consume(OF_ALL, 'all')).allowed) return
  const origin = originOf(request)
  await audit(db, clock.now(), {
    actor: refused.user_id
      ? accountActor(refused.user_id, origin)
      : { kind: 'anonymous', request_id: request.id, origin },
    action: 'access.refused',
    subject: routePath(request),
    detail: { error, client_id: refused.client_id },
  })
}

async function whoWasRefused(
  { db, clock }: World,
  request: ServedRequest,
): Promise<{ user_id?: UserId; client_id: string } | undefined> {
  const token = bearerToken(request)
  if (token !== undefined) return await grants.findHolder(db, clock.now(), token)
  const client_id = credentialsOf(request)?.client_id
  if (client_id === undefined || !(await apps.findClient(db, client_id))) return undefined
  return { client_id }
}

const AUDITED = ['invalid_client', 'invalid_token', 'insufficient_scope']

/** Runs a step and records its refusal for credentials or scope, if there is one. */
export async function auditingRefusals<Result>(
  world: World,
  request: ServedRequest,
  step: () => Promise<Result>,
): Promise<Result> {
  try {
    return await step()
  } catch (error) {
    if (error instanceof Problem && AUDITED.includes(error.code)) {
      await auditRefusedProgram(world, request, error.code)
    }
    throw error
  }
}

/** The same endpoint, with its refusals recorded. */
export function withAuditedRefusals(world: World, row: Endpoint): Endpoint {
  return { ...row, run: (call) => auditingRefusals(world, call.request, () => row.run(call)) }
}
