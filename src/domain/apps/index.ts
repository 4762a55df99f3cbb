/**
 * Apps: what sellers sell, and the credentials with which an app's server calls.
 *
 * Knows sellers, apps, their clients, and which addresses belong to an app. Owns `sellers`, `apps`
 * and `clients`. Promises: a client secret is stored as a digest only, and a buyer is never sent
 * to an address that is not the app's. Spec: App profile, Integration settings, Authentication.
 */
export * from './apps.ts'
export { addClient, type Client, findClient, hasSecret, replaceSecret } from './clients.ts'
export { isRegistrable, readReturnUrl, registeredHost, withParameter } from './return-url.ts'
