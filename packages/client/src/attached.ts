/** What middleware learned about a request, for its handlers. */
import type { Entitlement, LicenseState } from './types.ts'

const licenses = new WeakMap<object, LicenseState>()
const entitlements = new WeakMap<object, Entitlement>()

/** Stores the license of a request. */
export function attachLicense(request: object, license: LicenseState): void {
  licenses.set(request, license)
}

/** Stores the entitlement of a request. */
export function attachEntitlement(request: object, entitlement: Entitlement): void {
  entitlements.set(request, entitlement)
}

/** The license that `requireLicense` accepted. Throws TypeError if it did not run. */
export function licenseOf(request: object): LicenseState {
  return licenses.get(request) ?? missing('requireLicense')
}

/** The entitlement that `requireEntitlement` accepted. Throws TypeError if it did not run. */
export function entitlementOf(request: object): Entitlement {
  return entitlements.get(request) ?? missing('requireEntitlement')
}

function missing(name: string): never {
  throw new TypeError(`${name} did not run for this request: add it before this handler`)
}
