import { z } from 'zod'
import type { EmailTemplate, EmailTemplates, NoFacts, UnsentEmail } from '#platform/email-queue'
import { isSecurityChange } from './account-templates.ts'

type WithFacts = {
  [Template in EmailTemplate]: EmailTemplates[Template] extends NoFacts ? never : Template
}[EmailTemplate]

const REQUESTED = z.object({
  return_to: z.string().exactOptional(),
  language: z.string().exactOptional(),
})

/** What is stored with the templates that need more than the id of their subject. */
const FACTS: { [Template in WithFacts]: z.ZodType<EmailTemplates[Template]> } = {
  app_decision: z.object({ what: z.enum(['suspended', 'reinstated']), reason: z.string() }),
  account_deleted: z.object({ sealed_to: z.string() }),
  app_transfer_decided: z.object({ to: z.enum(['former', 'new']) }),
  bank_changed: z.object({ bank: z.string(), before: z.string().exactOptional() }),
  security: z.object({
    what: z.custom<EmailTemplates['security']['what']>(isSecurityChange),
    name: z.string().exactOptional(),
  }),
  seller_decision: z.object({
    what: z.enum(['suspended', 'reinstated', 'payouts_paused', 'payouts_resumed']),
    reason: z.string(),
  }),
  set_password: REQUESTED,
  sign_in: REQUESTED,
}

/** Whether the stored data of an email has the shape that its template needs. */
export function hasFacts({ kind, facts }: Pick<UnsentEmail, 'kind' | 'facts'>): boolean {
  const schema = new Map<string, z.ZodType>(Object.entries(FACTS)).get(kind)
  return schema === undefined || schema.safeParse(facts).success
}
