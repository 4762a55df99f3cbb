import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { kindOf } from '#http/tasks'
import type { AlarmKind } from '#platform/alarms'
import type { AuditAction } from '#platform/audit'
import type { EmailSubject } from '#platform/email-queue'
import type { TaskName } from '#platform/tasks'
import { openTestService, type TestService } from '../support/service.ts'

let service: TestService
before(async () => {
  service = await openTestService()
})
after(() => service.close())

// Complete, or it does not compile.
const TASKS: Record<TaskName, true> = {
  check_books: true,
  clock_advance: true,
  export_audit: true,
  export_customers: true,
  export_licenses: true,
  export_person: true,
  export_sales: true,
  export_seller: true,
  export_subscriptions: true,
  export_tax_lines: true,
  export_tax_states: true,
  import_check: true,
  import_delete: true,
  import_read: true,
  import_run: true,
  receive_events: true,
  scenario: true,
  tax_month: true,
}

test('the site runs every kind of task', () => {
  const missing = Object.keys(TASKS).filter((name) => !kindOf(service.world, name as TaskName))
  assert.deepEqual(missing, [])
})

// Checked by the compiler: an error that is no longer one fails the type check.
test('a name that is in no closed set does not compile', () => {
  // @ts-expect-error there is no such action.
  const action: AuditAction = 'license.forgotten'
  // @ts-expect-error there is no such alarm.
  const alarm: AlarmKind = 'nothing_wrong'
  // @ts-expect-error there is no such template.
  const email: EmailSubject = { kind: 'newsletter', subject_id: 'usr_1' }
  // @ts-expect-error this template needs the new bank account.
  const without: EmailSubject = { kind: 'bank_changed', subject_id: 'sel_1' }
  // @ts-expect-error this template takes no facts.
  const extra: EmailSubject = { kind: 'receipt', subject_id: 'inv_1', facts: { total: '1' } }
  assert.equal([action, alarm, email, without, extra].length, 5)
})
