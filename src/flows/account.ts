/**
 * What an owner changes about the safety of his account: password, address, second factors, the
 * browsers that are signed in, and what apps and agents hold. Every change is audited, and whatever
 * lets somebody in is told to the mailbox.
 */
export {
  beginAuthenticator,
  confirmAuthenticator,
  openSetup,
  removeAuthenticator,
  type Setup,
} from './account/authenticator.ts'
export { allowAgent, disconnectAgent, disconnectApp } from './account/connections.ts'
export { type ChangedEmail, changeEmail, confirmEmailChange } from './account/email.ts'
export type { Owner } from './account/note.ts'
export { addPasskey, askForNewPasskey, removePasskey } from './account/passkeys.ts'
export { changePassword } from './account/password.ts'
export { remakeRecoveryCodes } from './account/recovery-codes.ts'
export { endOtherSessions, endSession } from './account/sessions.ts'
