import type { FastifyInstance } from 'fastify'
import type { World } from '#flows/world'
import { people } from '#http/pages'
import { declareActivity } from './activity.ts'
import { declareAffiliates } from './affiliates.ts'
import { declareChanges } from './changes.ts'
import { declareDiscounts } from './discounts.ts'
import { declareEmails } from './emails.ts'
import { declareExportAll } from './export-all.ts'
import { declareHome } from './home.ts'
import { declareImages } from './images.ts'
import { declareImport } from './import.ts'
import { declareIntegration } from './integration-routes.ts'
import { declareInvitations } from './invitations.ts'
import { declareListing } from './listing.ts'
import { declareNewApp } from './new-app.ts'
import { declareOverview } from './overview.ts'
import { declarePlans } from './plans.ts'
import { declareSeller } from './seller.ts'
import { declareSellerOverview } from './seller-overview.ts'
import { declareSettingsPage } from './settings.ts'
import { declareStart } from './start.ts'
import { declareTeam } from './team.ts'
import { declareTerms } from './terms.ts'
import { declareTestMode, requireLiveMode } from './test-mode.ts'
import { declareTransfer } from './transfer.ts'
import { declareTransferOffers } from './transfer-offers.ts'

/** The dashboard: a seller's apps and the settings of each (spec: Integration settings). */
export function dashboard(app: FastifyInstance, world: World): void {
  people(app, world, (scope) => {
    requireLiveMode(scope, world)
    declareTestMode(scope, world)
    declareHome(scope, world)
    declareSellerOverview(scope, world)
    declareStart(scope, world)
    declareSeller(scope, world)
    declareExportAll(scope, world)
    declareNewApp(scope, world)
    declareOverview(scope, world)
    declareAffiliates(scope, world)
    declareSettingsPage(scope, world)
    declareTransfer(scope, world)
    declareTransferOffers(scope, world)
    declareTeam(scope, world)
    declareActivity(scope, world)
    declareInvitations(scope, world)
    declareEmails(scope, world)
    declareTerms(scope, world)
    declarePlans(scope, world)
    declareDiscounts(scope, world)
    declareListing(scope, world)
    declareImages(scope, world)
    declareImport(scope, world)
    declareChanges(scope, world)
    declareIntegration(scope, world)
  })
}
