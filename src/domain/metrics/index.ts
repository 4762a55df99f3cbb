/**
 * Metrics: the daily figures of an app.
 *
 * Knows revenue, monthly recurring revenue, licenses by status and the steps of checkouts, by app
 * and day (UTC, in the app's own time), and each subscription with its share of the revenue. Owns
 * `metric_days` (sums), `metric_changes` (what is not in the sums yet), `counted_licenses` and
 * `listed_subscriptions`, which triggers and `sumMetrics` write. Guarantees: the figures agree with
 * the ledger and the licenses at any time, whatever is still in the queue (decision 97).
 */
export * from './metric-days.ts'
export * from './metric-sums.ts'
export * from './needs-attention.ts'
export * from './overview-figures.ts'
export * from './overviews.ts'
export * from './subscription-list.ts'
