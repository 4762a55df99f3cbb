import type { SellerId, UserId } from '#platform/ids'
import { sql } from '#platform/sql'
import type { Writes } from '#platform/write-together'

/** Where a request comes from. */
export interface Origin {
  /** The caller's full IP address. */
  address: string
  /** The caller's user agent, shortened. */
  agent: string
  request_id: string
}

/** The request of an actor and its origin, as far as they are recorded. */
interface ByRequest {
  request_id: string
  origin?: Origin | undefined
}

interface Person extends ByRequest {
  user_id: UserId
}

/** The actor of a change, and the request they made it with. */
export type Actor =
  /** The person whose account is changed. */
  | ({ kind: 'account' } & Person)
  | ({ kind: 'buyer' } & Person)
  /** A member of a seller; `seller_id` once the seller is known. */
  | ({ kind: 'seller'; seller_id?: SellerId | undefined } & Person)
  /** A member of staff; `seller_id` if the seller's members may see the action. */
  | ({ kind: 'staff'; seller_id?: SellerId | undefined } & Person)
  /** A program that manages a seller's apps, by the name it gives itself. */
  | ({ kind: 'agent'; agent: string; seller_id?: SellerId | undefined } & Person)
  /** The server of an app, by its client id; `seller_id` once the seller is known. */
  | ({ kind: 'app'; client_id: string; seller_id?: SellerId | undefined } & ByRequest)
  /** A command that runs on the service's machine, with its settings. */
  | ({ kind: 'command' } & ByRequest)
  /** A caller who did not prove who they are. */
  | ({ kind: 'anonymous' } & ByRequest)

/** The actors of these kinds only. */
export type ActorOf<Kind extends Actor['kind']> = Extract<Actor, { kind: Kind }>

/** The account `user_id`, in a request from `origin`. */
export function accountActor(user_id: UserId, origin: Origin): ActorOf<'account'> {
  return { kind: 'account', user_id, request_id: origin.request_id, origin }
}

/** The actor of an action that concerns a seller: its members see what staff did. */
export function concerning<Who extends Actor>(actor: Who, seller_id: SellerId): Who {
  return actor.kind === 'staff' ? { ...actor, seller_id } : actor
}

/**
 * The actions that are audited, as keys. The platform has none of its own: the layers above add
 * theirs (src/flows/closed-sets.ts, decision 85).
 */
// biome-ignore lint/suspicious/noEmptyInterface: the layers above add its keys.
export interface AuditActions {}

/** An action that is audited, such as `license.key_rotated`. */
export type AuditAction = keyof AuditActions

/** An entry of the audit log: what was done, and by whom. */
export interface AuditEntry {
  actor: Actor
  action: AuditAction
  /** The id of what was changed. */
  subject: string
  detail?: Record<string, unknown>
}

/** Writes one entry to the audit log, in the transaction of the action itself. */
export async function audit(db: Writes, now: Date, entry: AuditEntry): Promise<void> {
  const { actor, action, subject, detail = {} } = entry
  const { request_id, origin } = actor
  await db.run(sql`insert into audit_log
      (at, actor, action, subject, request_id, address, agent, detail, channel, seller_id)
    values (${now}, ${nameOf(actor)}, ${action}, ${subject}, ${request_id},
      ${origin?.address ?? null}, ${origin?.agent ?? null}, ${JSON.stringify(detail)},
      ${channelOf(actor)}, ${'seller_id' in actor ? (actor.seller_id ?? null) : null})`)
}

/**
 * The channel of an action: a page, the admin area, an agent, an app's server, or a command on the
 * machine.
 */
export type AuditChannel = 'page' | 'admin' | 'agent' | 'api' | 'command'

function channelOf({ kind }: Actor): AuditChannel {
  switch (kind) {
    case 'agent':
    case 'command':
      return kind
    case 'staff':
      return 'admin'
    case 'app':
      return 'api'
    default:
      return 'page'
  }
}

/** How the audit log names an actor: `usr_…`, an app's client id, `command` or `anonymous`. */
function nameOf(actor: Actor): string {
  switch (actor.kind) {
    case 'app':
      return actor.client_id
    case 'anonymous':
    case 'command':
      return actor.kind
    default:
      return actor.user_id
  }
}
