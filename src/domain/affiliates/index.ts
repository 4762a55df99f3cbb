/**
 * Affiliates: who refers buyers, and under which code.
 *
 * Knows affiliates, their codes, the clicks on their links by day, and what they brought by app.
 * Owns `affiliates`, `affiliate_clicks`, `referred_days` and `referred_changes`. Guarantees: an
 * unknown code refers to no one, an account has one code, an affiliate never earns on what they buy
 * or sell themselves, clicks contain nothing about a person, and amounts are those of the ledger.
 * Spec: What the service does, 6.
 */
export * from './affiliates.ts'
export * from './click-counter.ts'
export * from './clicks.ts'
export { codeFault, isCode } from './code.ts'
export * from './figure-sums.ts'
export * from './figures.ts'
