import { sql } from '#platform/sql'
import type { Agent } from './agent.ts'
import { signedIn } from './seller.ts'
import type { TestService } from './service.ts'

/** The two sides of a case: the cast's seller and its member of staff, each signed in. */
export interface SellerAndStaff {
  /** A new tab of the seller's browser. */
  seller(): Agent
  /** A new tab of the staff member's browser. */
  staff(): Agent
  /** Signs both in again: idle sessions end, those of staff within half a day. */
  signInAgain(): Promise<void>
}

/** Signs both sides in. */
export async function openSellerAndStaff(service: TestService): Promise<SellerAndStaff> {
  let [seller, staff] = await signIn()
  return {
    seller: () => seller.twin(),
    staff: () => staff.twin(),
    async signInAgain() {
      ;[seller, staff] = await signIn()
    },
  }

  async function signIn(): Promise<[seller: Agent, staff: Agent]> {
    const { seller, operator } = service.demo
    return [await signedIn(service, seller), await signedIn(service, operator)]
  }
}

/** The entries of the audit log with an action, oldest first. */
export async function auditOf({ world }: TestService, action: string) {
  return await world.db.rows<{ subject: string; detail: { reason?: string } }>(
    sql`select subject, detail from audit_log where action = ${action} order by id`,
  )
}
