import { buyLink, type Client, isPurserError, manageLink, type Prices } from '@purser/client'
import type { CommandContext } from '../context.ts'
import { CliError, EXIT, type ExitCode, wrongUse } from '../exit.ts'
import { appClient } from '../settings.ts'
import { columns } from '../terminal.ts'
import { USER_AGENT } from '../version.ts'

interface LinksOptions {
  next?: string
  ref?: string
  email?: string
  discount?: string
  check: boolean
}

/** A link, and what the service answered to it; null if it was not opened. */
export interface CheckedLink {
  kind: 'buy' | 'manage'
  label: string
  price_id: string | null
  url: string
  is_working: boolean | null
  problem: string | null
  /** What else there is to know about a link that works. */
  note: string | null
}

const TIMEOUT_MS = 10_000
/** The service reads a code without regard to case. */
const AFFILIATE_CODE = /^[a-z0-9-]{4,32}$/i
/** Why the checkout does not apply the discount code of its link: a sentence, and its name. */
const CODE_NOT_APPLIED = / data-code-not-applied="([^"]+)" data-code-refusal="([^"]+)"/
const OTHER_PLAN = 'other_product'

/**
 * Builds the links of an app and opens each. Exits with 1 if one does not work, and with 4 if all
 * that is known is that the service did not answer.
 */
export async function links(context: CommandContext<LinksOptions>): Promise<ExitCode> {
  const { terminal, settings, options } = context
  const { next, ref, email, discount } = options
  if (ref && !AFFILIATE_CODE.test(ref)) {
    throw wrongUse('--ref must have 4 to 32 characters: a to z, 0 to 9 and hyphens.')
  }
  if (next && !/^https?:\/\//i.test(next)) {
    throw wrongUse('--next must be an absolute http or https address.')
  }
  const client = await appClient(settings, options, terminal, false)
  terminal.progress('Reading the prices')
  const { prices, app_name } = await pricesOf(client)
  const { base_url, client_id } = client
  const build = (price_id: string, more: object) => buyLink(base_url, price_id, { next, ...more })
  const built = [
    ...prices.map(({ public_id, product_name, amount, frequency }) => ({
      kind: 'buy' as const,
      label: `${product_name}, $${amount}${frequency ? ` per ${frequency}` : ' once'}`,
      price_id: public_id,
      url: build(public_id, { ref, email, discount }),
      // The check is no click on an affiliate's link.
      opened: (code?: string) => build(public_id, { email, discount: code }),
    })),
    manageOf(base_url, client_id, next),
  ]
  const checked: CheckedLink[] = []
  const problems: LinkProblem[] = []
  // A code that no plan takes: the service limits how often one is tried.
  let refused: LinkProblem | undefined
  for (const { opened, ...link } of built) {
    terminal.progress(`Opening ${link.label}`)
    const own = options.check ? await problemOf(opened(refused ? undefined : discount)) : null
    if (own?.refusal && own.refusal !== OTHER_PLAN) refused = own
    const problem = own ?? (link.kind === 'buy' ? refused : undefined)
    if (problem) problems.push(problem)
    checked.push({ ...link, ...stateOf(options.check, problem) })
  }
  terminal.result({ app_name, links: checked }, linkLines(context, checked))
  const wrong = problems.filter(({ refusal }) => refusal !== OTHER_PLAN)
  if (wrong.length > 0) {
    return wrong.every(({ is_outage }) => is_outage) ? EXIT.unreachable : EXIT.negative
  }
  // A code that applies to no plan that is for sale is as useless as one that does not exist.
  return problems.length > 0 && problems.length === prices.length ? EXIT.negative : EXIT.ok
}

/** What is known of a link: a code that is for another plan leaves it working. */
function stateOf(
  isChecked: boolean,
  problem: LinkProblem | undefined,
): Pick<CheckedLink, 'is_working' | 'problem' | 'note'> {
  if (!isChecked) return { is_working: null, problem: null, note: null }
  if (problem?.refusal !== OTHER_PLAN) {
    return { is_working: !problem, problem: problem?.message ?? null, note: null }
  }
  const note = 'The link works. The discount code does not apply to this plan.'
  return { is_working: true, problem: null, note }
}

/** Why the service has no prices of an app, and the next step. */
export const NOT_SOLD = {
  detail: 'unknown, not published, or external sales is not enabled',
  fix: 'Check the client ID. Then publish the app and request external sales in the dashboard.',
}

async function pricesOf(client: Client): Promise<Prices> {
  try {
    return await client.prices()
  } catch (error) {
    if (!isPurserError(error, 'not_found')) throw error
    const { code, request_id } = error
    const message = `The app is ${NOT_SOLD.detail}. ${NOT_SOLD.fix}`
    throw new CliError(code, message, EXIT.refused, { request_id })
  }
}

function manageOf(base_url: string, client_id: string, next: string | undefined) {
  const url = manageLink(base_url, client_id, { next })
  return { kind: 'manage' as const, label: 'Manage page', price_id: null, url, opened: () => url }
}

function linkLines({ terminal }: CommandContext, checked: CheckedLink[]): string[] {
  return checked.flatMap(({ label, url, is_working, problem, note }) => {
    const mark = is_working === null ? ' ' : is_working ? '✓' : '✗'
    const title = `${terminal.style(is_working === false ? 'red' : 'green', mark)} ${label}`
    return [
      title,
      ...columns([[url]]),
      ...columns([problem, note].flatMap((text) => (text === null ? [] : [[text]]))),
    ]
  })
}

/** What is wrong with a link, with the next step. */
interface LinkProblem {
  message: string
  /** The service did not answer, or not now: the link itself may work. */
  is_outage: boolean
  /** Why the discount code of the link does not apply; undefined if that is not the problem. */
  refusal?: string
}

/** The problem of a link; null if it works. */
export async function problemOf(url: string): Promise<LinkProblem | null> {
  let status: number
  let page: string
  try {
    const answer = await fetch(url, {
      redirect: 'manual',
      headers: { accept: 'text/html', 'accept-language': 'en', 'user-agent': USER_AGENT },
      signal: AbortSignal.timeout(TIMEOUT_MS),
    })
    status = answer.status
    page = await answer.text()
  } catch {
    const message = 'No answer. Check the URL of the service and your network.'
    return { message, is_outage: true }
  }
  if (status < 400) {
    const [, reason, refusal] = CODE_NOT_APPLIED.exec(page) ?? []
    if (refusal === undefined) return null
    return { message: `Discount code not applied. ${reason}`, is_outage: false, refusal }
  }
  return { message: messageOf(status), is_outage: status === 429 || status >= 500 }
}

function messageOf(status: number): string {
  if (status === 400) {
    return 'The return URL is refused. Use https on the app’s registered domain, or localhost.'
  }
  if (status === 404) return 'Not found. Publish the app and request external sales.'
  return `The service answered ${status}.`
}
