/**
 * Security settings of an account: password, email, second factors, signed-in browsers, and the
 * access of apps and agents. Every change is audited, and the account's mailbox is notified of
 * every change that could let another person in.
 */

export type { Owner } from './account/audit.ts'
export {
  confirmAuthenticator,
  openSetup,
  removeAuthenticator,
  type Setup,
  startAuthenticatorSetup,
} from './account/authenticator.ts'
export { allowAgent, disconnectAgent, disconnectApp } from './account/connections.ts'
export { deleteCopies } from './account/copies.ts'
export { deleteAccount, recipientOfDeletion } from './account/deletion.ts'
export {
  type DeletionBlock,
  deletionBlocks,
  smallBalances,
  type UnpaidBalance,
} from './account/deletion-blocks.ts'
export { type ChangedEmail, changeEmail, confirmEmailChange } from './account/email.ts'
export { addPasskey, passkeyCreationOptions, removePasskey } from './account/passkeys.ts'
export { changePassword } from './account/password.ts'
export { type PersonalData, personalData, recordExport } from './account/personal-data.ts'
export { remakeRecoveryCodes } from './account/recovery-codes.ts'
export { endOtherSessions, endSession } from './account/sessions.ts'
