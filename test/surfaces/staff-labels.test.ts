import assert from 'node:assert/strict'
import { test } from 'node:test'
import { actionTitle } from '#http/audit-rows'
import { emailLabel } from '#http/email-labels'
import { cronText, scheduleLabel } from '#surfaces/admin/schedule-labels'

test('staff read when a schedule runs in words', () => {
  const texts = {
    '* * * * *': 'Every minute',
    '*/10 * * * *': 'Every 10 minutes',
    '5 * * * *': 'Hourly, at :05',
    '20 3 * * *': 'Daily at 3:20 AM UTC',
    '0 0 * * *': 'Daily at 12:00 AM UTC',
    '30 12 * * *': 'Daily at 12:30 PM UTC',
    '5 23 * * *': 'Daily at 11:05 PM UTC',
  }
  for (const [cron, text] of Object.entries(texts)) assert.equal(cronText(cron), text)
})

test('a pattern without words is shown as it is', () => {
  for (const cron of ['0 9 * * 1', '0 0 1 * *', '1,31 * * * *', '*/5 2 * * *', '@daily'])
    assert.equal(cronText(cron), cron)
})

test('a schedule or email of another release is named after its key', () => {
  assert.equal(scheduleLabel('forget-sign-ins'), 'Delete expired sessions')
  assert.equal(scheduleLabel('count-shells'), 'Count shells')
  assert.equal(emailLabel('seller_sale'), 'New sale, to the seller')
  // The same template announces an inquiry, which withdraws nothing.
  assert.equal(emailLabel('dispute_opened'), 'Dispute or inquiry opened')
  assert.equal(emailLabel('shell_found'), 'Shell found')
})

test('an action of the audit log is named in the words of the pages', () => {
  assert.equal(actionTitle('app.plan_highlighted'), 'App: plan highlighted')
  assert.equal(actionTitle('versions.replaced'), 'Plans and prices: changed')
  assert.equal(actionTitle('license.comped'), 'License: plan given')
  assert.equal(actionTitle('discount.turned_off'), 'Discount: deactivated')
})
