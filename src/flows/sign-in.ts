/**
 * Sign-in: by a password, an email link, a passkey, or a new account. Every way ends in `signIn`,
 * where an account with a second factor must prove that too.
 */

export {
  type SignInEmailKind,
  sendSignInEmail,
} from './sign-in/email.ts'
export { type FactorAnswer, finishSignIn, reauthenticate } from './sign-in/factor.ts'
export { type JoinedStaff, joinStaff } from './sign-in/join-staff.ts'
export {
  DISOWNED,
  type LinkSubmission,
  redeemLink,
  undoEmailChange,
} from './sign-in/link.ts'
export { passkeyRequestOptions, signInWithPasskey } from './sign-in/passkey.ts'
export {
  type KnownDevice,
  type PasswordClaim,
  signInWithPassword,
} from './sign-in/password.ts'
export { type ProvenOwner, signIn } from './sign-in/sign-in.ts'
export { confirmSignUp, signUp } from './sign-in/sign-up.ts'
