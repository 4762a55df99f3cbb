/**
 * Apps from their creation to their sale: details, publishing, approval by staff, and archiving
 * (spec: What the service does, 5 and 8).
 */
export { type Decision, decideApproval, requestApproval } from './app/approval.ts'
export { createApp } from './app/create.ts'
export { saveAppDetails } from './app/details.ts'
export {
  changeScreenshot,
  removeIcon,
  restoreImage,
  type ScreenshotChange,
  type UploadedImage,
  uploadImage,
} from './app/images.ts'
export { archiveApp, publishApp, restoreApp, unpublishApp } from './app/publish.ts'
export {
  acceptTransfer,
  declineTransfer,
  offerTransfer,
  TRANSFER_DAYS,
  type TransferAccepted,
  withdrawTransfer,
} from './app/transfer.ts'
