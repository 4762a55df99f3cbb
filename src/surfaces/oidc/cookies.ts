/** The cookie of the library's session, under which apps received tokens. */
export const SIGN_IN_COOKIE = '__Host-sign-in'
/** Interaction cookies are limited to their own path, so that two tabs do not conflict. */
export const INTERACTION_COOKIE = '__Secure-interaction'
export const RESUME_COOKIE = '__Secure-resume'
