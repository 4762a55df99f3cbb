/**
 * Affiliates: who sends buyers, and what for.
 *
 * Knows referrers and their codes. Owns `affiliates`. Promises: an unknown code means nobody, an
 * account has one code, and nobody earns on what he pays or sells himself. Spec: What the service
 * does, 6.
 */
export * from './affiliates.ts'
export { codeFault, isCode } from './code.ts'
