import { AssertionError } from 'node:assert'
import { assertInvariants } from '../support/invariants.ts'
import { calendarFaults } from './calendar.ts'
import { figureFaults } from './figures.ts'
import { RULES } from './rest-rules.ts'
import { testimonyFaults } from './testimony.ts'
import type { Town } from './town.ts'

/** The first rule that does not hold while all is at rest; undefined: all hold. */
export async function rulesBroken(
  town: Town,
): Promise<{ rule: string; facts: string } | undefined> {
  const { service, db, complaints } = town.stage
  const told = (rule: string, facts: unknown) => ({ rule, facts: JSON.stringify(facts) })
  if (complaints.length > 0) return told('no flow fails in a way that nobody foresaw', complaints)
  try {
    await assertInvariants({ ...service, world: { ...service.world, db } })
  } catch (error) {
    if (!(error instanceof AssertionError)) throw error
    const [rule = ''] = error.message.split('\n')
    const [first] = error.actual as { rule?: string }[]
    return told(first?.rule === undefined ? rule : `${rule}: ${first.rule}`, error.actual)
  }
  for (const { rule, broken } of RULES) {
    const rows = await db.rows(broken(town.world.clock.now()))
    if (rows.length > 0) return told(rule, rows)
  }
  const [fault] = [
    ...(await figureFaults(town)),
    ...(await calendarFaults(db)),
    ...(await testimonyFaults(town)),
  ]
  return fault && told(fault.rule, fault.facts)
}
