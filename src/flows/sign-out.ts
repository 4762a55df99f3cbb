import * as billing from '#domain/billing'
import * as grants from '#domain/grants'
import * as identity from '#domain/identity'
import type { World } from '#flows/world'
import { accountActor, audit, type Origin } from '#platform/audit'
import type { Db } from '#platform/db'
import type { UserId } from '#platform/ids'

/** A confirmed sign-out: the person, the app and the sessions. */
export interface SignOut {
  /** The app that requested the sign-out; undefined if unknown. */
  client_id: string | undefined
  /** The session of this service in this browser. */
  session: Pick<identity.Session, 'id' | 'user_id'> | undefined
  /** The sign-in session in which apps got their tokens in this browser. */
  sign_in: { uid: string; user_id: UserId | undefined } | undefined
  origin: Origin
}

/**
 * Signs a person out of the requesting app in every browser, and of this service in this browser;
 * other apps keep their own sessions (spec: Sign-in rules, 6, 8 and 9). If no app is known, every
 * app of this browser is signed out. The next call with a revoked token is refused.
 */
export async function signOutOfApp({ db, clock }: World, facts: SignOut): Promise<void> {
  const { client_id, session, sign_in } = facts
  const people = new Set([session?.user_id, sign_in?.user_id].filter((each) => each !== undefined))
  await db.tx(async (tx) => {
    // First: the code of a concurrent sign-in finds no session, or is revoked below.
    if (session) {
      await identity.endSessionById(tx, { user_id: session.user_id, session_id: session.id })
    }
    if (sign_in && client_id === undefined) await grants.endSession(tx, sign_in.uid)
    else if (sign_in) await grants.deleteSession(tx, sign_in.uid)
    for (const user_id of people) {
      if (client_id !== undefined) await grants.revokeApp(tx, { client_id, user_id })
      await grants.revokeAgents(tx, user_id)
      await billing.endCartSignIns(tx, clock.now(), user_id)
      const detail = { session_id: session?.id, client_id }
      await auditSignOut(tx, clock.now(), { user_id, origin: facts.origin, detail })
    }
  })
}

/**
 * Ends one sign-in to an app, named by its ID token; the current user of the browser, if there is
 * one, stays signed in.
 */
export async function endLogin({ db }: World, login: grants.NamedLogin): Promise<void> {
  await grants.revokeLogin(db, login)
}

/** Signs a browser out of this service only; agents lose their access with it, apps do not. */
export async function signOutOfService(
  { db, clock }: World,
  { id: session_id, user_id }: Pick<identity.Session, 'id' | 'user_id'>,
  origin: Origin,
): Promise<void> {
  await db.tx(async (tx) => {
    await identity.endSessionById(tx, { user_id, session_id })
    await billing.endCartSignIns(tx, clock.now(), user_id)
    await grants.revokeAgents(tx, user_id)
    await auditSignOut(tx, clock.now(), { user_id, origin, detail: { session_id } })
  })
}

async function auditSignOut(
  tx: Db,
  now: Date,
  facts: { user_id: UserId; origin: Origin; detail: Record<string, unknown> },
): Promise<void> {
  const { user_id, origin, detail } = facts
  const action = 'account.signed_out'
  await audit(tx, now, { actor: accountActor(user_id, origin), action, subject: user_id, detail })
}
