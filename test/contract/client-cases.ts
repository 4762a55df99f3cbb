/**
 * Cases that the service and the client's test double must answer alike: a double that differs
 * would make sellers' tests pass for apps that fail.
 */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { PurserError } from '@purser/client'
import { openDouble, openReal, type Subject } from './client-subjects.ts'

/** A call of the client, and its expected value, or the class, status and code of its error. */
export type Case = { run: (subject: Subject) => Promise<unknown>; expected: unknown }

/** Declares a test for each case, by title, in groups. */
export function testBoth(groups: Record<string, Record<string, Case>>): void {
  let subjects: [service: Subject, double: Subject]
  before(async () => {
    subjects = [await openReal(), await openDouble()]
  })
  after(async () => {
    for (const subject of subjects) await subject[Symbol.asyncDispose]()
  })
  for (const [name, cases] of Object.entries(groups)) {
    describe(`the service and the double agree: ${name}`, () => {
      for (const [title, { run, expected }] of Object.entries(cases)) {
        test(title, async () => {
          const [service, double] = subjects
          assert.deepEqual(await outcomeOf(run(service)), expected, 'the service')
          assert.deepEqual(await outcomeOf(run(double)), expected, 'the double')
        })
      }
    })
  }
}

/** A value without what differs between two runs: ids, keys, days and times. */
function shapeOf(value: unknown): unknown {
  if (typeof value === 'string') {
    return value
      .replace(/^(lic|prod|prc|key)_\w+$/, '$1_…')
      .replace(/^\d{4}-\d\d-\d\d$/, 'day')
      .replace(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/, 'time')
  }
  if (Array.isArray(value)) return value.map(shapeOf)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, shapeOf(each)]))
}

/** The value of a call, or the class, status and code of its error. */
export async function outcomeOf(call: Promise<unknown>): Promise<unknown> {
  try {
    return shapeOf(await call)
  } catch (error) {
    if (!(error instanceof PurserError)) throw error
    return [error.name, error.status, error.code]
  }
}
