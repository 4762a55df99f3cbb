import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { ImportRecord } from '#domain/imports'
import { readImport, recordLines } from '../support/import-rows.ts'

describe('a file of', () => {
  test('Lemon Squeezy: subscriptions, by their status and their renewal', async () => {
    const file = `id,product_name,variant_name,user_email,status,renews_at,ends_at,price
1,Tides,Pro,a@example.com,active,2026-12-05T10:00:00.000000Z,,9.00
2,Tides,Pro,b@example.com,cancelled,2026-12-05T10:00:00Z,2026-12-01T00:00:00Z,9.00
3,Tides,Default,c@example.com,expired,2026-01-05T10:00:00Z,2026-01-05T10:00:00Z,9.00
4,Tides,Pro,d@example.com,on_trial,2026-11-30T10:00:00Z,,
5,Tides,Pro,e@example.com,asleep,2026-11-30T10:00:00Z,,`
    assert.deepEqual(recordLines(await readImport('lemon_squeezy', file)), [
      'subscription:1|a@example.com|Tides – Pro||2026-12-05|||',
      'subscription:2|b@example.com|Tides – Pro||2026-12-01|||',
      'subscription:3|c@example.com|Tides – Default||2026-01-05|ended||',
      'subscription:4|d@example.com|Tides – Pro||2026-11-30|||',
      'status: The status is not one of on_trial, active, past_due, paused, unpaid, cancelled, expired. Correct it.',
    ])
  })

  test('Lemon Squeezy: license keys, with and without an end', async () => {
    const file = `id;key;product_name;user_email;status;expires_at
7;38b1460a-5104;Tides;a@example.com;inactive;
8;48b1460a-5104;Tides;b@example.com;active;2027-01-01
9;58b1460a-5104;Tides;c@example.com;disabled;`
    assert.deepEqual(recordLines(await readImport('lemon_squeezy', file)), [
      'license_key:7|a@example.com|Tides|38b1460a-5104|for good|||',
      'license_key:8|b@example.com|Tides|48b1460a-5104|2027-01-01|||',
      'license_key:9|c@example.com|Tides|58b1460a-5104|for good|revoked||',
    ])
  })

  test('Gumroad: sales, refunds, memberships and the row of sums', async () => {
    const file = `\ufeffPurchase ID,Item Name,Purchase Email,Purchase Date,Item Price ($),Fully Refunded?,Disputed?,Dispute Won?,Access Revoked?,Variants,Recurrence,Subscription End Date,License Key,License Key Enabled?
p1,Tides,a@example.com,2026-03-01,29.0,0,0,0,0,(Pro),,,AAAA-1111,1
p2,Tides,b@example.com,2026-11-10,5.0,0,0,0,0,,monthly,,BBBB-2222,1
p3,Tides,c@example.com,2026-09-10,5.0,0,0,0,0,,quarterly,2026-10-01,CCCC-3333,1
p4,Tides,d@example.com,2026-03-01,29.0,1,0,0,0,,,,DDDD-4444,1
p5,Tides,e@example.com,2026-03-01,29.0,0,1,0,0,,,,EEEE-5555,1
p6,Tides,f@example.com,2026-03-01,29.0,0,1,1,0,,,,FFFF-6666,1
p7,Tides,g@example.com,2026-03-01,29.0,0,0,0,0,,,,GGGG-7777,0
p8,Tides,h@example.com,10/03/2026,29.0,0,0,0,0,,,,HHHH-8888,1
Totals,,,,126.0,,,,,,,,,`
    assert.deepEqual(recordLines(await readImport('gumroad', file)), [
      'sale:p1|a@example.com|Tides – (Pro)|AAAA-1111|for good||2900|',
      'sale:p2|b@example.com|Tides|BBBB-2222|2026-12-10||500|month',
      'sale:p3|c@example.com|Tides|CCCC-3333|2026-10-01|ended||',
      'sale:p4|d@example.com|Tides|DDDD-4444|for good|refunded|2900|',
      'sale:p5|e@example.com|Tides|EEEE-5555|for good|refunded|2900|',
      'sale:p6|f@example.com|Tides|FFFF-6666|for good||2900|',
      'sale:p7|g@example.com|Tides|GGGG-7777|for good|revoked|2900|',
      'bought_at: Write the date as 2026-11-23, or with a time as 2026-11-23T10:00:00Z.',
      'ignored',
    ])
  })

  test('Paddle: subscriptions and transactions', async () => {
    const file = `subscription_id,customer_email,product_name,price_name,status,next_billed_at,billing_cycle,unit_price,currency_code
sub_1,a@example.com,Tides,Yearly,active,2027-01-01T00:00:00Z,1 year,90.00,USD
sub_2,b@example.com,Tides,Yearly,canceled,,1 year,90.00,EUR
txn_1,c@example.com,Tides,Once,completed,,,40.00,USD
txn_2,d@example.com,Tides,Once,draft,,,40.00,USD`
    assert.deepEqual(recordLines(await readImport('paddle', file)), [
      'subscription:sub_1|a@example.com|Tides – Yearly||2027-01-01||9000|year',
      'subscription:sub_2|b@example.com|Tides – Yearly||for good|ended||year',
      'transaction:txn_1|c@example.com|Tides – Once||for good||4000|',
      'transaction:txn_2|d@example.com|Tides – Once||for good|revoked|4000|',
    ])
  })

  test('Paddle: a subscription that is to be canceled ends with its period', async () => {
    const file = `id,customer_email,status,next_billed_at,current_billing_period.ends_at
sub_1,a@example.com,active,,2026-12-05T00:00:00Z
sub_2,b@example.com,active,2026-12-05T00:00:00Z,2026-12-05T00:00:00Z
sub_3,c@example.com,canceled,,`
    assert.deepEqual(recordLines(await readImport('paddle', file)), [
      'subscription:sub_1|a@example.com|||2026-12-05|||',
      'subscription:sub_2|b@example.com|||2026-12-05|||',
      'subscription:sub_3|c@example.com|||for good|ended||',
    ])
  })

  test('Paddle: the report of line items, which names subscriptions beside transactions', async () => {
    const file = `transaction_id,status,customer_email,subscription_id,product_name,billing_period_ends_at
txn_1,completed,a@example.com,,Tides,
txn_2,completed,b@example.com,sub_1,Tides,2026-12-05T00:00:00Z
txn_3,completed,b@example.com,sub_1,Tides,2027-01-05T00:00:00Z`
    assert.deepEqual(recordLines(await readImport('paddle', file)), [
      'transaction:txn_1|a@example.com|Tides||for good|||',
      'transaction:txn_2|b@example.com|Tides||2026-12-05|||',
      'transaction:txn_3|b@example.com|Tides||2027-01-05|||',
    ])
  })

  test('Paddle and Polar: a period of several intervals, whose price no plan can have', async () => {
    const paddle = `id,customer_email,status,next_billed_at,billing_cycle.interval,billing_cycle.frequency,unit_price
sub_1,a@example.com,active,2026-12-05T00:00:00Z,month,3,27.00
sub_2,b@example.com,active,2026-12-05T00:00:00Z,month,1,9.00
sub_3,c@example.com,active,2026-12-05T00:00:00Z,month,0,9.00`
    assert.deepEqual(recordLines(await readImport('paddle', paddle)), [
      'subscription:sub_1|a@example.com|||2026-12-05|||',
      'subscription:sub_2|b@example.com|||2026-12-05||900|month',
      'interval_count: Write how many intervals a period has, from 1 to 999.',
    ])
    const polar = `ID,Email,Product,Started At,Status,Recurring Interval,Recurring Interval Count
1,a@example.com,Tides,2026-10-05,active,month,2`
    assert.deepEqual(recordLines(await readImport('polar', polar)), [
      'subscription:1|a@example.com|Tides||2026-12-05|||',
    ])
  })

  test('Polar: subscriptions with and without their ends, and orders', async () => {
    const file = `Email,Started At,Product,Amount,Currency,Status,Billing Interval
a@example.com,2026-01-05T00:00:00+00:00,Tides,9.0,usd,active,month
b@example.com,2026-01-05T00:00:00+00:00,Tides,9.0,usd,incomplete,month`
    const readings = await readImport('polar', file)
    const ids = readings.map((each) => (each as { record: ImportRecord }).record.external_id)
    assert.deepEqual(recordLines(readings), [
      `${ids[0]}|a@example.com|Tides||2026-12-05||900|month`,
      `${ids[1]}|b@example.com|Tides||for good|ended|900|month`,
    ])
    // The ID is kept for good, also after the person's account is deleted.
    assert.notEqual(ids[0], ids[1])
    for (const id of ids) assert.match(id, /^subscription:[0-9a-f]{64}$/)
    assert.deepEqual(await readImport('polar', file.replace('a@example', 'A@Example')), [
      { record: { ...(readings[0] as { record: ImportRecord }).record, email: 'A@Example.com' } },
      readings[1],
    ])
    const orders = `Email,Created At,Product,Net Amount,Currency,Status,Invoice number,Billing Reason
a@example.com,2026-01-05T00:00:00+00:00,Tides,40.0,usd,paid,INV-1,purchase
b@example.com,2026-01-05T00:00:00+00:00,Tides,40.0,usd,refunded,INV-2,purchase
c@example.com,2026-01-05T00:00:00+00:00,Tides,9.0,usd,paid,INV-3,subscription_cycle`
    assert.deepEqual(recordLines(await readImport('polar', orders)), [
      'order:INV-1|a@example.com|Tides|INV-1|for good||4000|'.replace('INV-1|for', '|for'),
      'order:INV-2|b@example.com|Tides||for good|refunded|4000|',
      'ignored',
    ])
  })

  test('Polar: a subscription that no longer renews has no end but that of the file', async () => {
    const rows = async (heading: string, values: string) => {
      const file = ['canceled', 'past_due', 'active', 'true', 'false'].map(
        (status) => `${status},a@example.com,2026-01-05,Tides,${status},month,${values}`,
      )
      const all = ['ID,Email,Started At,Product,Status,Interval', ...file].join('\n')
      return recordLines(await readImport('polar', all.replace('\n', `,${heading}\n`)))
    }
    assert.deepEqual(await rows('Metadata', ''), [
      'subscription:canceled|a@example.com|Tides||for good|ended||month',
      'subscription:past_due|a@example.com|Tides||for good|ended||month',
      'subscription:active|a@example.com|Tides||2026-12-05|||month',
      'subscription:true|a@example.com|Tides||2026-12-05|||month',
      'subscription:false|a@example.com|Tides||for good|ended||month',
    ])
    const [canceled, past_due] = await rows('Current Period End', '2026-12-01')
    assert.equal(canceled, 'subscription:canceled|a@example.com|Tides||2026-12-01|||month')
    assert.equal(past_due, 'subscription:past_due|a@example.com|Tides||2026-12-01|||month')
  })

  test('Stripe: subscriptions, entitled until the end of the period that is paid', async () => {
    const file = `id,Customer ID,Customer Email,Plan,Product,Quantity,Currency,Interval,Amount,Status,Created (UTC),Current Period Start (UTC),Current Period End (UTC),Canceled At (UTC),Ended At (UTC),license_key (metadata)
sub_1,cus_1,a@example.com,price_1,Tides,1,usd,month,9.00,active,2026-01-05 10:00,2026-11-05 10:00,2026-12-05 10:00,,,AAAA-1
sub_2,cus_2,b@example.com,price_2,Tides,1,usd,year,90,active,2026-01-05 10:00,2026-01-05 10:00,2027-01-05 10:00,2026-03-01 10:00,,
sub_3,cus_3,c@example.com,price_1,Tides,1,usd,month,9.00,trialing,2026-11-20 10:00,2026-11-20 10:00,2026-11-27 10:00,,,
sub_4,cus_4,d@example.com,price_1,Tides,1,usd,month,9.00,past_due,2026-01-05 10:00,2026-11-05 10:00,2026-12-05 10:00,,,
sub_5,cus_5,e@example.com,price_1,Tides,1,usd,month,9.00,canceled,2026-01-05 10:00,2026-11-05 10:00,2026-12-05 10:00,2026-11-10 10:00,2026-11-10 10:00,
sub_6,cus_6,f@example.com,price_1,Tides,1,eur,month,9.00,asleep,2026-01-05 10:00,2026-11-05 10:00,2026-12-05 10:00,,,`
    assert.deepEqual(recordLines(await readImport('stripe', file)), [
      'subscription:sub_1|a@example.com|Tides – price_1|AAAA-1|2026-12-05||900|month',
      'subscription:sub_2|b@example.com|Tides – price_2||2027-01-05||9000|year',
      'subscription:sub_3|c@example.com|Tides – price_1||2026-11-27||900|month',
      'subscription:sub_4|d@example.com|Tides – price_1||2026-12-05|ended|900|month',
      'subscription:sub_5|e@example.com|Tides – price_1||2026-11-10|ended|900|month',
      'status: The status is not one of trialing, active, past_due, unpaid, paused, canceled, incomplete, incomplete_expired. Correct it.',
    ])
  })

  for (const [source, status, ended] of [
    ['lemon_squeezy', 'on_trial', 'cancelled'],
    ['lemon_squeezy', 'active', 'expired'],
    ['stripe', 'trialing'],
    ['paddle', 'active'],
    ['polar', 'active'],
  ] as const) {
    test(`${source}: a subscription that is ${status} is not ended by a file without its end`, async () => {
      const file = `id,email,product,status\nsub_1,a@example.com,Tides,${status}
sub_2,a@example.com,Tides,${ended ?? 'canceled'}`
      assert.deepEqual(recordLines(await readImport(source, file)), [
        'renews_at: The row has no end of the period, and the subscription runs. Export the file with its ends.',
        'subscription:sub_2|a@example.com|Tides||for good|ended||',
      ])
    })
  }

  test('Stripe: payments for what was paid once, and none of subscriptions', async () => {
    const file = `id,Created date (UTC),Amount,Amount Refunded,Currency,Captured,Description,Status,Customer Email,Dispute Status
ch_1,2026-03-01 10:00:00,180.00,0.00,usd,true,Lifetime,Paid,a@example.com,
ch_2,2026-03-01 10:00:00,180.00,180.00,usd,true,Lifetime,Refunded,b@example.com,
pi_3,2026-03-01 10:00:00,180.00,20.00,usd,true,Lifetime,Partially refunded,c@example.com,
ch_4,2026-03-01 10:00:00,180.00,180.00,usd,true,Lifetime,Paid,d@example.com,
ch_5,2026-03-01 10:00:00,180.00,0.00,usd,true,Lifetime,Disputed,e@example.com,lost
py_6,2026-03-01 10:00:00,180.00,0.00,usd,false,Lifetime,Failed,f@example.com,
ch_7,2026-03-01 10:00:00,9.00,0.00,usd,true,Subscription creation,Paid,g@example.com,
ch_8,2026-03-01 10:00:00,9.00,0.00,usd,true,Subscription update,Paid,g@example.com,`
    assert.deepEqual(recordLines(await readImport('stripe', file)), [
      'payment:ch_1|a@example.com|Lifetime||for good||18000|',
      'payment:ch_2|b@example.com|Lifetime||for good|refunded|18000|',
      'payment:pi_3|c@example.com|Lifetime||for good||18000|',
      'payment:ch_4|d@example.com|Lifetime||for good|refunded|18000|',
      'payment:ch_5|e@example.com|Lifetime||for good|refunded|18000|',
      'payment:py_6|f@example.com|Lifetime||for good|revoked|18000|',
      'ignored',
      'ignored',
    ])
  })

  test('Stripe: payments that were not completed, and subscriptions without their IDs', async () => {
    const unpaid = [
      'incomplete',
      'requires_payment_method',
      'requires_confirmation',
      'Requires action',
      'requires_capture',
      'processing',
      'canceled',
    ]
    const payments = unpaid.map((status) => `pi_1,a@example.com,Tides,${status}`)
    const read = await readImport('stripe', ['id,email,product,status', ...payments].join('\n'))
    const none = 'payment:pi_1|a@example.com|Tides||for good|revoked||'
    assert.deepEqual(
      recordLines(read),
      unpaid.map(() => none),
    )
    const subscriptions = ['active', 'paused', 'unpaid', 'incomplete_expired'].map(
      (status) => `1,a@example.com,Tides,${status}`,
    )
    const file = ['id,email,product,status', ...subscriptions].join('\n')
    const ended = 'subscription:1|a@example.com|Tides||for good|ended||'
    assert.deepEqual(recordLines(await readImport('stripe', file)), [
      'renews_at: The row has no end of the period, and the subscription runs. Export the file with its ends.',
      ...[ended, ended, ended],
    ])
  })

  test('Keygen: licenses, by their expiry and their status', async () => {
    const file = `id,key,email,policy,status,expiry
b18e,C1B6DE-39A6E3,a@example.com,Pro,ACTIVE,
c18e,D1B6DE-39A6E3,b@example.com,Pro,EXPIRING,2026-12-01T00:00:00.000Z
d18e,E1B6DE-39A6E3,c@example.com,Pro,SUSPENDED,`
    assert.deepEqual(recordLines(await readImport('keygen', file)), [
      'license:b18e|a@example.com|Pro|C1B6DE-39A6E3|for good|||',
      'license:c18e|b@example.com|Pro|D1B6DE-39A6E3|2026-12-01|||',
      'license:d18e|c@example.com|Pro|E1B6DE-39A6E3|for good|revoked||',
    ])
  })

  test('Purser: licenses of an export', async () => {
    const file = `license_id,email,plan,status,period_end,license_key
lic_1,a@example.com,Pro,active,2026-12-01T00:00:00Z,key_1
lic_2,b@example.com,Pro,one_time_active,,key_2
lic_3,c@example.com,Pro,canceled,2026-10-01T00:00:00Z,key_3`
    assert.deepEqual(recordLines(await readImport('purser', file)), [
      'license:lic_1|a@example.com|Pro|key_1|2026-12-01|||',
      'license:lic_2|b@example.com|Pro|key_2|for good|||',
      'license:lic_3|c@example.com|Pro|key_3|2026-10-01|ended||',
    ])
    // The export of the list of licenses has days.
    const [listed] = await readImport(
      'purser',
      'license_id,customer,plan,status,period_end\nlic_1,a@example.com,Pro,active,2026-11-23',
    )
    assert.ok(listed && listed !== 'ignored' && 'record' in listed)
    const { ends_at, over } = listed.record
    assert.deepEqual([ends_at?.toISOString(), over], ['2026-11-23T23:59:59.000Z', null])
  })
})
