import { type PackedPackage, packPackage } from './packed-package.ts'

export type ClientPackage = PackedPackage

/** The client library as sellers install it. */
export function packClient(): ClientPackage {
  return packPackage('packages/client')
}
