/**
 * Sign-in: by a password, an email link, a passkey, or a new account. Every way ends in `enter`,
 * where an account with a second factor must prove that too.
 */

export { type EntryKind, sendEntryEmail } from './sign-in/email.ts'
export { enter, type ProvenOwner } from './sign-in/enter.ts'
export { type FactorAnswer, finishSignIn, proveAgain } from './sign-in/factor.ts'
export { type JoinedStaff, joinStaff } from './sign-in/join-staff.ts'
export {
  answerLink,
  DISOWNED,
  type LinkAnswer,
  undoEmailChange,
} from './sign-in/link.ts'
export { passkeyRequestOptions, signInWithPasskey } from './sign-in/passkey.ts'
export {
  type KnownDevice,
  type PasswordClaim,
  signInWithPassword,
} from './sign-in/password.ts'
export { answerSignUp, signUp } from './sign-in/sign-up.ts'
