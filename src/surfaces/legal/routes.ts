import type { FastifyInstance } from 'fastify'
import type { World } from '#flows/world'
import { LEGAL_PAGES, type LegalName, readLegalText } from '#http/legal-texts'
import { people, sendPage } from '#http/pages'
import { LegalPage } from './legal-page.tsx'

/** Terms of sale, seller terms, privacy and refund policies, and the operator's contact page. */
export function legal(app: FastifyInstance, world: World): void {
  const declare = (scope: FastifyInstance) => {
    for (const [name, address] of Object.entries(LEGAL_PAGES)) {
      const text = readLegalText(world, name as LegalName)
      scope.get(address, async (_request, reply) =>
        sendPage(reply, LegalPage({ text, url: `${world.config.base_url}${address}` }), {
          public: true,
        }),
      )
    }
  }
  people(app, world, declare, { compressed: true })
}
