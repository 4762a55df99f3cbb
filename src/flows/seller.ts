/**
 * Sellers: becoming one, their details, and the terms they accept (spec: What the service does, 4).
 */
export { saveDetails } from './seller/details.ts'
export { startSelling } from './seller/start.ts'
export { acceptTerms, owesTerms } from './seller/terms.ts'
