import { AssertionError } from 'node:assert'
import { assertInvariants } from '../support/invariants.ts'
import { accountFaults } from './accounts-oracle.ts'
import { answerFaults } from './answers-oracle.ts'
import { calendarFaults } from './calendar-oracle.ts'
import { compFaults } from './comps-oracle.ts'
import { codeFaults } from './discount-oracle.ts'
import { excessFaults } from './excess-oracle.ts'
import { factorFaults } from './factors-oracle.ts'
import { figureFaults, stateFaults } from './figures-oracle.ts'
import type { Fixture } from './fixture.ts'
import { importFaults } from './imports-oracle.ts'
import { mailboxFaults } from './mailbox-oracle.ts'
import { memberFaults } from './members-oracle.ts'
import { noticeFaults } from './notices-oracle.ts'
import { ownershipFaults } from './ownership-oracle.ts'
import { passkeyFaults } from './passkeys-oracle.ts'
import { passwordFaults } from './passwords-oracle.ts'
import { RULES } from './rest-invariants.ts'
import { saleFaults } from './sale-oracle.ts'
import { sessionFaults } from './sessions-oracle.ts'
import { statementFaults } from './statements-oracle.ts'
import { supportFaults } from './support-oracle.ts'
import { suspensionFaults } from './suspension-oracle.ts'
import { transferFaults } from './transfers-oracle.ts'

/** The first broken rule while nothing is pending; undefined if there is none. */
export async function rulesBroken(
  fixture: Fixture,
): Promise<{ rule: string; facts: string } | undefined> {
  const { service, db, unexpected_errors } = fixture.harness
  const broken = (rule: string, facts: unknown) => ({ rule, facts: JSON.stringify(facts) })
  if (unexpected_errors.length > 0)
    return broken('no flow fails with an unexpected error', unexpected_errors)
  try {
    await assertInvariants({ ...service, world: { ...service.world, db } })
  } catch (error) {
    if (!(error instanceof AssertionError)) throw error
    const [rule = ''] = error.message.split('\n')
    const [first] = error.actual as { rule?: string }[]
    return broken(first?.rule === undefined ? rule : `${rule}: ${first.rule}`, error.actual)
  }
  for (const { rule, broken: query } of RULES) {
    const rows = await db.rows(query(fixture.world.clock.now()))
    if (rows.length > 0) return broken(rule, rows)
  }
  const [fault] = [
    ...(await supportFaults(fixture)),
    ...(await accountFaults(fixture)),
    ...(await stateFaults(fixture)),
    ...(await figureFaults(fixture)),
    ...(await codeFaults(fixture)),
    ...(await calendarFaults(db)),
    ...(await answerFaults(fixture)),
    ...(await compFaults(fixture)),
    ...(await importFaults(fixture)),
    ...(await excessFaults(fixture)),
    ...(await statementFaults(db)),
    ...(await transferFaults(fixture)),
    ...(await saleFaults(fixture)),
    ...(await suspensionFaults(fixture)),
    ...(await mailboxFaults(fixture)),
    ...(await memberFaults(fixture)),
    ...(await ownershipFaults(fixture)),
    ...(await factorFaults(fixture)),
    ...(await passkeyFaults(fixture)),
    ...(await passwordFaults(fixture)),
    ...(await sessionFaults(fixture)),
    ...(await noticeFaults(fixture)),
  ]
  return fault && broken(fault.rule, fault.facts)
}
