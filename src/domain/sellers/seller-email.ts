/** The emails about buyers that a member may turn off. */
export const SELLER_EMAILS = ['sale', 'cancellation', 'failed_renewal'] as const
export type SellerEmail = (typeof SELLER_EMAILS)[number]
