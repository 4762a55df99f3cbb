/** What middleware learned about a request, for its handlers. */
import type { Entitlement, LicenseState } from './types.ts'

type States = {
  licenses: WeakMap<object, LicenseState>
  entitlements: WeakMap<object, Entitlement>
}

/** All copies of the library share them: a program may load its ES modules and CommonJS. */
function states(): States {
  const shared = globalThis as { [key: symbol]: States | undefined }
  const key = Symbol.for('@purser/client states of requests')
  shared[key] ??= { licenses: new WeakMap(), entitlements: new WeakMap() }
  return shared[key]
}

/** Stores the license of a request. */
export function attachLicense(request: object, license: LicenseState): void {
  states().licenses.set(request, license)
}

/** Stores the entitlement of a request. */
export function attachEntitlement(request: object, entitlement: Entitlement): void {
  states().entitlements.set(request, entitlement)
}

/** The license that `requireLicense` accepted. Throws TypeError if it did not run. */
export function licenseOf(request: object): LicenseState {
  return states().licenses.get(request) ?? missing('requireLicense')
}

/** The entitlement that `requireEntitlement` accepted. Throws TypeError if it did not run. */
export function entitlementOf(request: object): Entitlement {
  return states().entitlements.get(request) ?? missing('requireEntitlement')
}

function missing(name: string): never {
  throw new TypeError(`${name} did not run for this request: add it before this handler`)
}
