/** The visitor's corner of the header. */
export interface Visitor {
  email: string | undefined
}

/** The visitor's corner as a link. */
export function accountLink({ email }: Visitor) {
  return email === undefined
    ? { label: 'Sign in', href: '/signin/' }
    : { label: 'Your purchases', href: '/account/' }
}
