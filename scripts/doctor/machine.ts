import { type Config, isLoopback } from '#platform/config'
import { type Diagnosis, fault, ok, reason, warning } from '#platform/diagnosis'
import { existingPart, freeSpace, LEAST_SPACE, MEBIBYTE } from '#platform/disk'

const OLDEST_NODE = 24
const LITTLE_SPACE = 1024 * MEBIBYTE
const ANSWER_WITHIN_MS = 5_000
/** What a proxy answers itself while no node does. */
const NO_NODE = [502, 503, 504]

/** The version of Node.js that runs this, and so the service. */
export function diagnoseNode(): Diagnosis[] {
  const { version } = process
  if (Number.parseInt(version.slice(1), 10) >= OLDEST_NODE)
    return [ok('node', `Node.js ${version}`)]
  const next = `Run \`npm ci\`: the project brings Node.js ${OLDEST_NODE}.`
  return [fault('node', `Node.js ${version}`, next)]
}

/** The free space of the disk that has the data folder. */
export async function diagnoseDisk({ data_dir }: Config): Promise<Diagnosis[]> {
  const free = await freeSpace(data_dir)
  const mebibytes = Math.floor(free / MEBIBYTE).toLocaleString('en-US')
  const text = `${mebibytes} MiB free in ${existingPart(data_dir)}`
  if (free >= LITTLE_SPACE) return [ok('disk', text)]
  const next = 'Free some space: a database on a full disk accepts no sale.'
  return [free >= LEAST_SPACE ? warning('disk', text, next) : fault('disk', text, next)]
}

/** Whether the proxies that the settings trust can be those in front of the service. */
export function diagnoseProxy(config: Config): Diagnosis[] {
  const { trusted_proxies, host, production } = config
  const everyone = trusted_proxies.find((each) => /\/0$/.test(each))
  if (everyone) {
    const text = `${everyone} trusts everyone, so a visitor chooses the address that is counted`
    return [fault('proxy', text, 'Set TRUST_PROXY to the addresses of your proxies.')]
  }
  if (trusted_proxies.length > 0) return [ok('proxy', `trusts ${trusted_proxies.join(', ')}`)]
  if (!production) return [ok('proxy', 'none')]
  // Production has an https origin, and the service speaks plain HTTP.
  const text = 'no proxy is trusted, but BASE_URL is https, which a proxy must serve'
  const address = isLoopback(host) ? '127.0.0.1' : 'its address'
  const next = `Set TRUST_PROXY to ${address}: otherwise all visitors share one rate limit.`
  return [warning('proxy', text, next)]
}

/** Whether the service answers at its own URLs, as browsers see them. */
export async function diagnoseAddress(config: Config): Promise<Diagnosis[]> {
  const { base_url, test_mode, role } = config
  if (role === 'worker') return [ok('address', 'a worker node serves no pages')]
  const urls = [base_url, ...(test_mode ? [test_mode.base_url] : [])]
  return await Promise.all(urls.map(diagnoseUrl))
}

async function diagnoseUrl(url: string): Promise<Diagnosis> {
  try {
    const answer = await fetch(`${url}/healthz`, {
      redirect: 'manual',
      signal: AbortSignal.timeout(ANSWER_WITHIN_MS),
    })
    const location = answer.headers.get('location')
    if (location) {
      const next = 'Set BASE_URL (or TEST_MODE_URL) to the origin that browsers see.'
      return fault('address', `${url} redirects to ${new URL(location, url).origin}`, next)
    }
    const body = await answer.text()
    if (answer.status === 200 && body === '{"status":"ok"}') return ok('address', `${url} answers`)
    if (NO_NODE.includes(answer.status)) {
      const next = 'Start the service; if it runs, correct the addresses of the nodes in the proxy.'
      return warning('address', `${url}: no node answers behind the proxy (${answer.status})`, next)
    }
    const next = 'Let the proxy pass this host to the service, with its Host header.'
    return fault('address', `${url} is answered by another program (${answer.status})`, next)
  } catch (error) {
    const { cause } = error as Error
    const next = 'Start the service; if it runs, check DNS, the certificate and the proxy.'
    return warning('address', `${url} does not answer: ${reason(cause ?? error)}`, next)
  }
}
