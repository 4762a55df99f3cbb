import { play } from './play.ts'
import { openStage } from './world.ts'

const s = await openStage()
const all = new Map<string, number>()
const N = 150
for (let i = 1; i <= N; i++) {
  const p = await play(s, 5000 + i)
  if (p.broken) console.log(p.seed, p.broken.rule)
  const rows = (
    await s.db.raw(`select 'history '||trigger||' '||to_status as k, count(*) n from license_history group by 1
   union all select 'invoice '||kind||' '||status, count(*) from invoices group by 1
   union all select 'attempt '||asked_by||' '||status, count(*) from attempts group by 1
   union all select 'refund '||status||' '||case when requested_by='system' then 'system' else '' end, count(*) from refunds group by 1
   union all select 'dispute '||status, count(*) from disputes group by 1
   union all select 'payout '||account||' '||cause||' '||status, count(*) from payouts group by 1
   union all select 'remittance', count(*) from remittances
   union all select 'commission>0', count(*) from invoices where commission>0
   union all select 'add on>0', count(*) from invoices where add_on_fee>0
   union all select 'brought by '||brought_by, count(*) from invoices group by 1
   union all select 'trial orders', count(*) from orders where charged=0
   union all select 'audit '||action, count(*) from audit_log group by 1
   union all select 'freq '||coalesce(r.frequency,'once'), count(*) from orders o join prices r on r.id=o.price_id group by 1
   union all select 'event '||event, count(*) from ledger_transactions group by 1
   union all select 'owed disputes', count(*) from disputes where owed>0
   `)
  ).rows as any[]
  for (const { k, n } of rows) all.set(k, (all.get(k) ?? 0) + Number(n))
}
for (const [k, n] of [...all].sort()) console.log((n / N).toFixed(2), k)
await s.close()
