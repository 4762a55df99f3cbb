import type { TestEvent } from 'node:test/reporters'
import { inspect } from 'node:util'
import type { FromWorker, Result } from './protocol.ts'

type Ended = Extract<TestEvent, { type: 'test:pass' | 'test:fail' }>['data']

/** A reporter of Node's test runner that sends each result to the runner. */
export default async function* report(events: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  const titles: string[] = []
  for await (const { type, data } of events) {
    if (type === 'test:start') {
      titles.length = data.nesting
      titles.push(data.name)
    }
    if (type !== 'test:pass' && type !== 'test:fail') continue
    process.send!(resultOf(data, titles.slice(0, data.nesting + 1)) satisfies FromWorker)
  }
  yield ''
}

function resultOf(data: Ended, path: string[]): Result {
  const { details, skip } = data
  const isSuite = details.type === 'suite'
  const { duration_ms } = details
  if (!('error' in details)) {
    const outcome = skip === undefined || skip === false ? 'passed' : 'skipped'
    return { path, outcome, counts: !isSuite, duration_ms }
  }
  const { error } = details
  const isOfItsTests = 'failureType' in error && error.failureType === 'subtestsFailed'
  return {
    path,
    outcome: 'failed',
    counts: !isOfItsTests,
    duration_ms,
    ...(!isOfItsTests && { error: inspect(error.cause ?? error, { depth: 6 }) }),
  }
}
