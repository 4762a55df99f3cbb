import { after, before, describe } from 'node:test'
import { describeBalance } from './balance.ts'
import { describeCards } from './cards.ts'
import { describeDisputes } from './disputes.ts'
import { describeKeys } from './keys.ts'
import { type Outside, type ProcessorSteps, processorSteps } from './outside.ts'
import { describePayees } from './payees.ts'
import { describeRecords } from './records.ts'
import { describeRefunds } from './refunds.ts'

export type { Outside } from './outside.ts'

/** What the service counts on, of every processor behind its port. */
export function describeProcessor(name: string, open: () => Promise<Outside>): void {
  describe(name, () => {
    let world: ProcessorSteps
    before(async () => {
      world = processorSteps(await open())
    })
    after(() => world?.close())
    const get = () => world
    describeCards(get)
    describeKeys(get)
    describeRefunds(get)
    describeDisputes(get)
    describePayees(get)
    describeBalance(get)
    describeRecords(get)
  })
}
