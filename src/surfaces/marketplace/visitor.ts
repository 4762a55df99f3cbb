/** The visitor, for the header. */
export interface Visitor {
  email: string | undefined
}

/** The account link in the header. */
export function accountLink({ email }: Visitor) {
  return email === undefined
    ? { label: 'Sign in', href: '/signin/' }
    : { label: 'Your purchases', href: '/account/' }
}
