import type { World } from '#flows/world'
import type { Database } from '#platform/db'
import { untilBlocked } from './blocked.ts'
import type { TestService } from './service.ts'

/** The world in which the first transaction commits once another one waits for it. */
function untilOtherWaits(world: World, begun: () => void): World {
  let isFirst = true
  const tx: Database['tx'] = (work, options) =>
    world.db.tx(async (each) => {
      const result = await work(each)
      begun()
      if (isFirst) await untilBlocked(each, world.db)
      isFirst = false
      return result
    }, options)
  return { ...world, db: { ...world.db, tx } }
}

/** Runs one flow up to its commit, and another one that has to wait for that. */
export async function oneAfterOther<First, Second>(
  { world }: Pick<TestService, 'world'>,
  first: (world: World) => Promise<First>,
  second: (world: World) => Promise<Second>,
): Promise<[First, PromiseSettledResult<Second>]> {
  const begun = Promise.withResolvers<void>()
  const following = begun.promise.then(() => second(world))
  const settled = Promise.allSettled([following])
  const done = await first(untilOtherWaits(world, begun.resolve))
  const [after_it] = await settled
  return [done, after_it!]
}
