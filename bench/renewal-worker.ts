/**
 * A worker of the renewal bench: opens the service, waits for the start signal, and renews what is
 * due.
 */
import { renewDue } from '#flows/subscription'
import { readConfig } from '#platform/config'
import { systemRandom } from '#platform/random'
import { openService } from '../src/service.ts'

const service = await openService(readConfig(process.env, systemRandom))
process.send?.('ready')
process.once('message', async () => {
  let renewed = 0
  for (let count = await renewDue(service.world); count > 0; ) {
    renewed += count
    count = await renewDue(service.world)
  }
  process.send?.(renewed)
  await service.close()
  process.disconnect()
})
