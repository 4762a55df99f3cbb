import { statSync } from 'node:fs'
import { resolve } from 'node:path'
import { z } from 'zod'

/** Who runs the service: the legal party to each sale, and how buyers reach it. */
export interface Operator {
  legal_name: string
  /** The postal address, a line each. */
  address: string[]
  tax_id: string
  support_email: string
  support_url: string
  /** What card statements show: 5 to 22 characters, by Stripe's rules. */
  statement_descriptor: string
  /** The state whose law governs the terms, "Delaware". */
  governing_law: string
  /** A folder with the operator's own legal texts; undefined: only the project's texts. */
  legal_dir: string | undefined
}

/** One setting of the operator, as `npm run setup` asks for it. */
export interface OperatorQuestion {
  variable: keyof typeof OPERATOR_SETTINGS
  question: string
  example: string
  /** True where production starts without it. */
  optional?: boolean
}

/** The lines of an address are one variable, separated by semicolons. */
const addressLines = (text: string) =>
  text
    .split(/[;\n]/)
    .map((line) => line.trim())
    .filter((line) => line !== '')

const line = (max: number) =>
  z
    .string()
    .trim()
    .min(2, 'must have at least 2 characters')
    .max(max, `must have at most ${max} characters`)
    .regex(/^\P{Cc}*$/u, 'must be one line')

/** The variables of the operator, each with its own check. */
export const OPERATOR_SETTINGS = {
  OPERATOR_NAME: line(120).optional(),
  OPERATOR_ADDRESS: z
    .string()
    .refine(
      (text) => addressLines(text).length >= 2,
      'must be a postal address of at least two lines, separated by semicolons',
    )
    .optional(),
  OPERATOR_TAX_ID: line(40).optional(),
  SUPPORT_EMAIL: z.email('must be an email address').optional(),
  SUPPORT_URL: z.url({ protocol: /^https?$/, error: 'must be an http(s) address' }).optional(),
  STATEMENT_DESCRIPTOR: z
    .string()
    .refine(
      isStatementDescriptor,
      'must have 5 to 22 Latin characters, one of them from A-Z or a-z, and none of < > \\ \' " *',
    )
    .optional(),
  GOVERNING_LAW: line(40).optional(),
  LEGAL_DIR: z
    .string()
    .refine(
      (folder) => statSync(folder, { throwIfNoEntry: false })?.isDirectory() ?? false,
      'must be a folder that exists',
    )
    .optional(),
}

/** What `npm run setup` asks, in this order. */
export const OPERATOR_QUESTIONS: OperatorQuestion[] = [
  { variable: 'OPERATOR_NAME', question: 'Legal name', example: 'Harbor Software, Inc.' },
  {
    variable: 'OPERATOR_ADDRESS',
    question: 'Postal address, lines separated by semicolons',
    example: '1 Main Street; Wilmington, DE 19801; United States',
  },
  { variable: 'OPERATOR_TAX_ID', question: 'Tax id (EIN)', example: '12-3456789' },
  { variable: 'SUPPORT_EMAIL', question: 'Support email', example: 'help@example.com' },
  {
    variable: 'STATEMENT_DESCRIPTOR',
    question: 'Statement descriptor: what card statements show, 5 to 22 characters',
    example: 'HARBOR SOFTWARE',
  },
  {
    variable: 'GOVERNING_LAW',
    question: 'State whose law governs the terms',
    example: 'Delaware',
  },
  {
    variable: 'SUPPORT_URL',
    question: 'Support page, if you have one of your own',
    example: 'https://example.com/help',
    optional: true,
  },
  {
    variable: 'LEGAL_DIR',
    question: 'Folder with your own legal texts, if you have one',
    example: '/etc/purser/legal',
    optional: true,
  },
]

/** The settings of the operator that are not set, and without which production does not start. */
export function missingOperator(settings: OperatorSettings): string[] {
  return OPERATOR_QUESTIONS.filter(
    ({ variable, optional }) => !optional && settings[variable] === undefined,
  ).map(({ variable }) => variable)
}

export type OperatorSettings = {
  [variable in keyof typeof OPERATOR_SETTINGS]?: string | undefined
}

/** The operator of these settings; an absent one is filled in with a demo value that says so. */
export function operatorOf(settings: OperatorSettings, base_url: string): Operator {
  const { LEGAL_DIR } = settings
  return {
    legal_name: settings.OPERATOR_NAME ?? 'Purser Demo, Inc.',
    address: addressLines(
      settings.OPERATOR_ADDRESS ?? '1 Demo Street; Demoville, DE 19801; United States',
    ),
    tax_id: settings.OPERATOR_TAX_ID ?? '00-0000000 (demo)',
    support_email: settings.SUPPORT_EMAIL ?? 'support@demo.example',
    support_url: settings.SUPPORT_URL ?? `${base_url}/help/`,
    statement_descriptor: settings.STATEMENT_DESCRIPTOR ?? 'PURSERDEMO',
    governing_law: settings.GOVERNING_LAW ?? 'Delaware',
    legal_dir: LEGAL_DIR === undefined ? undefined : resolve(LEGAL_DIR),
  }
}

/** Stripe's rules for what card statements show. */
function isStatementDescriptor(text: string): boolean {
  return /^[\x20-\x7e]{5,22}$/.test(text) && /[A-Za-z]/.test(text) && !/[<>\\'"*]/.test(text)
}
