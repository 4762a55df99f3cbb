/**
 * A worker of the renewal bench: opens the service, and renews what is due each time it gets a
 * message.
 */
import { renewDue } from '#flows/subscription'
import { readConfig } from '#platform/config'
import { systemRandom } from '#platform/random'
import { openService } from '../src/service.ts'

const service = await openService(readConfig(process.env, systemRandom))
process.on('message', async () => {
  const { world } = service
  const renew = () => renewDue(world, { at_once: world.processor.renewals_at_once })
  let renewed = 0
  for (let count = await renew(); count > 0; count = await renew()) renewed += count
  process.send?.(renewed)
})
process.once('disconnect', () => service.close())
process.send?.('ready')
