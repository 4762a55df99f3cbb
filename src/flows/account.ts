/**
 * What an owner changes about the safety of his account: password, address, second factors, and the
 * browsers that are signed in. Every change is audited and told to the mailbox.
 */
export {
  beginAuthenticator,
  confirmAuthenticator,
  openSetup,
  removeAuthenticator,
  type Setup,
} from './account/authenticator.ts'
export { type ChangedEmail, changeEmail, confirmEmailChange } from './account/email.ts'
export type { Owner } from './account/note.ts'
export { addPasskey, askForNewPasskey, removePasskey } from './account/passkeys.ts'
export { changePassword } from './account/password.ts'
export { remakeRecoveryCodes } from './account/recovery-codes.ts'
export { endOtherSessions, endSession } from './account/sessions.ts'
