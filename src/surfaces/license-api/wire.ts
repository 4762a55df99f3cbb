import { z } from 'zod'
import { LIFETIMES } from '#domain/grants'
import { LICENSE_STATUSES } from '#domain/licensing'

const day = z.iso.date().nullable()

/** The state of a license (spec: License key endpoints). */
export const LicenseState = z
  .strictObject({
    entitled: z.boolean().describe('True if the license may use the app now. Gate access on this.'),
    status: z.enum(LICENSE_STATUSES),
    license_id: z.string().describe('Stable. Pass it to key rotation.'),
    product_id: z.string().describe('The buyer’s current plan, `prod_…`.'),
    product_public_id: z.string().describe('Always equal to `product_id`.'),
    period_end: day.describe(
      'The end of the period, a date in UTC. Cache validation results until then at most. ' +
        'Null if there is none, as for one-time purchases.',
    ),
    canceled_at: day.describe('The day the license ends or ended, in UTC.'),
  })
  .meta({ id: 'LicenseState' })

const license_key = z.string().describe('The license key, `key_…`.')

export const LicenseWithKey = LicenseState.extend({ license_key }).meta({ id: 'LicenseWithKey' })

export const RotatedLicense = LicenseState.extend({
  license_key,
  rotated_at: z.iso.datetime().describe('When the old key stopped working, in UTC.'),
}).meta({ id: 'RotatedLicense' })

export const Processing = z.strictObject({ status: z.literal('processing') }).meta({
  id: 'Processing',
})

/** The state of a validated license, with a lease if one was requested. */
export const ValidatedLicense = LicenseState.extend({
  lease: z
    .string()
    .optional()
    .describe('A signed statement for offline use. Present only if requested and entitled.'),
}).meta({ id: 'ValidatedLicense' })

const DAY_SECONDS = 86_400

const LeaseRequest = z
  .strictObject({
    seconds: z
      .int()
      .min(60)
      .max(LIFETIMES.lease)
      .default(DAY_SECONDS)
      .describe(
        'How long the lease is valid, at most until the period ends. If it has ended and the ' +
          'renewal is processing, at most an hour.',
      ),
    device: z
      .string()
      .min(1)
      .max(200)
      .optional()
      .describe('Your name for the device, repeated in the lease.'),
  })
  .meta({ id: 'LeaseRequest' })

export const ValidateRequest = z
  .strictObject({
    key: z.string().describe('The buyer’s license key, `key_…`.'),
    lease: LeaseRequest.optional().describe('Requests a lease, for apps that start offline.'),
  })
  .meta({ id: 'ValidateRequest' })

export const RegenerateRequest = z
  .strictObject({
    reason: z
      .string()
      .max(500)
      // Half of a character: JSON can write it, and PostgreSQL cannot store it.
      .refine((text) => text.isWellFormed(), '`reason` must be valid Unicode.')
      .optional()
      .describe('Stored in the audit log.'),
  })
  .meta({ id: 'RegenerateRequest' })
