/**
 * Affiliates: who refers buyers, and under which code.
 *
 * Knows affiliates and their codes. Owns `affiliates`. Guarantees: an unknown code refers to no
 * one, an account has one code, and an affiliate never earns on what they buy or sell themselves.
 * Spec: What the service does, 6.
 */
export * from './affiliates.ts'
export { codeFault, isCode } from './code.ts'
