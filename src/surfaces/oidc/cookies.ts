/** The cookie of the sign-in session, in which apps got their tokens. */
export const SIGN_IN_COOKIE = '__Host-sign-in'
/** An interaction's cookies lie under its own path, so that two tabs do not disturb each other. */
export const INTERACTION_COOKIE = '__Secure-interaction'
export const RESUME_COOKIE = '__Secure-resume'
