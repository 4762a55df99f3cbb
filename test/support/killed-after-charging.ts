/** A service whose process is killed when a charge has succeeded, before it is recorded. */
import { readConfig } from '#platform/config'
import { systemRandom } from '#platform/random'
import { startDemo } from '../../src/demo/start.ts'
import { openService } from '../../src/service.ts'

const service = await openService(readConfig(process.env, systemRandom), {
  processor: (sandbox) => ({
    ...sandbox,
    async charge(now, request) {
      const answer = await sandbox.charge(now, request)
      if (answer.status === 'succeeded') process.kill(process.pid, 'SIGKILL')
      return answer
    },
  }),
})
await service.listen()
await startDemo(service.world)
console.log('Purser is ready')
