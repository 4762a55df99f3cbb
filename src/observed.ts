import { type Processor, ProcessorRefused, ProcessorUnreachable } from '#domain/payments'
import type { Mailer } from '#platform/mail'
import type { Observer } from '#platform/telemetry/observer'

/** The operations of the processor that are one call each, as their figures name them. */
const OPERATIONS = [
  'openCardEntry',
  'readCardEntry',
  'charge',
  'find',
  'close',
  'openPortal',
  'readPortal',
  'refund',
  'answerDispute',
  'openAccount',
  'openOnboarding',
  'readAccount',
  'payOut',
  'readBalance',
] as const satisfies (keyof Processor)[]

/** The same processor, each of whose calls is observed; itself without an observer. */
export function observedProcessor(processor: Processor, observer: Observer | undefined): Processor {
  if (!observer) return processor
  const observed = OPERATIONS.map((operation) => {
    const call = processor[operation] as (...facts: unknown[]) => Promise<unknown>
    const through = (...facts: unknown[]) =>
      observer.observe(
        'processor',
        () => operation,
        () => call.apply(processor, facts),
        outcomeOf,
      )
    return [operation, through] as const
  })
  return { ...processor, ...Object.fromEntries(observed) }
}

function outcomeOf(error: unknown): string {
  if (error instanceof ProcessorUnreachable) return 'unreachable'
  return error instanceof ProcessorRefused ? 'refused' : 'failed'
}

/** The same mailer, each of whose emails is observed; itself without an observer. */
export function observedMailer(mailer: Mailer, observer: Observer | undefined): Mailer {
  if (!observer) return mailer
  const name = () => 'send'
  return {
    send: (now, message) => observer.observe('email', name, () => mailer.send(now, message)),
    close: () => mailer.close(),
  }
}
