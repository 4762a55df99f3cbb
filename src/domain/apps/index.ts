/**
 * Apps: what sellers sell, and the credentials with which an app's server calls.
 *
 * Knows sellers, apps, their clients, the hosted sign-in add-on, and which addresses belong to an
 * app. Owns `sellers`, `apps` and `clients`. Promises: a client secret is stored as a digest only,
 * a buyer is never sent to an address that is not the app's, and the add-on's free months are given
 * once. Spec: App profile, Integration settings, Authentication.
 */
export { type AddOn, type AddOnDates, addOnOf } from './add-on.ts'
export * from './apps.ts'
export * from './clients.ts'
export { isDeveloper } from './developer.ts'
export { type Addresses, addressFaults } from './integration.ts'
export { isRegistrable, readReturnUrl, registeredHost, withParameter } from './return-url.ts'
