import type { FastifyInstance } from 'fastify'
import type { World } from '#flows/world'
import { people } from '#http/pages'
import { declareApprovals } from './approvals.ts'
import { declareApps } from './apps.ts'
import { declareAudit } from './audit.ts'
import { declareCases } from './cases.ts'
import { declareChecks } from './checks.ts'
import { declareEmails } from './emails.ts'
import { declareExcess } from './excess.ts'
import { declareHome } from './home.ts'
import { declareJobs } from './jobs.ts'
import { declarePayouts } from './payouts.ts'
import { declareSellers } from './sellers.ts'
import { declareStaff } from './staff.ts'
import { declareTax } from './tax.ts'

/** The admin area; `handleEvents` processes events of the processor that were missed. */
export function admin(
  app: FastifyInstance,
  world: World,
  handleEvents: () => Promise<number>,
): void {
  people(app, world, (scope) => {
    declareHome(scope, world)
    declareCases(scope, world)
    declareExcess(scope, world)
    declareSellers(scope, world)
    declareApps(scope, world)
    declarePayouts(scope, world)
    declareApprovals(scope, world)
    declareTax(scope, world)
    declareChecks(scope, world, handleEvents)
    declareJobs(scope, world)
    declareStaff(scope, world)
    declareAudit(scope, world)
    declareEmails(scope, world)
  })
}
