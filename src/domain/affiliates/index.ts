/**
 * Affiliates: who sends buyers, and what for.
 *
 * Knows referrers and their codes. Owns `affiliates`. Promises: an unknown code means nobody, and
 * nobody refers himself. Spec: What the service does, 6.
 */
export * from './affiliates.ts'
