import assert from 'node:assert/strict'
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { recordCheck } from '#domain/ledger'
import { which } from '../../scripts/chromium.ts'
import { freePort } from '../../scripts/throwaway-postgres.ts'
import { openTestDatabase, SERVER_URL } from '../support/database.ts'
import { eventually } from '../support/eventually.ts'
import { withCallFate } from '../support/network-faults.ts'
import { buy } from '../support/refunds.ts'
import { openTestService, type TestService } from '../support/service.ts'

// Guards R15: Prometheus itself reads the figures, the alert rules and the dashboard's queries.

const promtool = which('promtool')
const prometheus = which('prometheus')
const NO_PROMETHEUS = !(promtool && prometheus) && 'no Prometheus (apt-get install prometheus)'
const NO_SERVER = SERVER_URL === undefined && 'it needs a PostgreSQL server (TEST_DATABASE_URL)'
const RULES = 'deploy/prometheus/alerts.yml'
const TESTS_OF_RULES = 'deploy/prometheus/alerts.test.yml'
const alerts = [
  ...readFileSync(RULES, 'utf8').matchAll(/- alert: (\w+)\n(?: {8}# .+\n)? {8}expr: '([^'\n]+)'/g),
].map(([, name, expr]) => ({ name: name!, expr: expr! }))

test('alerts fire above their thresholds, after their time, and not before', {
  skip: NO_PROMETHEUS,
}, () => {
  execFileSync(promtool!, ['check', 'rules', RULES])
  execFileSync(promtool!, ['test', 'rules', TESTS_OF_RULES])
})

interface Panel {
  title: string
  targets: { expr: string }[]
}
interface Answer {
  status: string
  error?: string
  data: { result: { value: [number, string] }[] }
}

describe('Prometheus beside a service', { skip: NO_PROMETHEUS || NO_SERVER }, () => {
  const folder = mkdtempSync(join(tmpdir(), 'purser-prometheus-'))
  let service: TestService
  let metrics_url: string
  let prometheus_url: string
  let stop: () => Promise<unknown>

  before(async () => {
    const metrics_port = await freePort()
    metrics_url = `http://127.0.0.1:${metrics_port}/metrics`
    service = await openTroubledService(metrics_port)
    const config = {
      global: { scrape_interval: '1s', evaluation_interval: '1s' },
      rule_files: [resolve(RULES)],
      scrape_configs: [
        { job_name: 'purser', static_configs: [{ targets: [`127.0.0.1:${metrics_port}`] }] },
      ],
    }
    writeFileSync(join(folder, 'prometheus.yml'), JSON.stringify(config))
    const port = await freePort()
    prometheus_url = `http://127.0.0.1:${port}`
    const child = spawn(
      prometheus!,
      [
        `--config.file=${join(folder, 'prometheus.yml')}`,
        `--storage.tsdb.path=${join(folder, 'data')}`,
        `--web.listen-address=127.0.0.1:${port}`,
      ],
      { stdio: 'ignore' },
    )
    const exit = once(child, 'exit')
    stop = async () => {
      child.kill('SIGTERM')
      await exit
    }
  })
  after(async () => {
    await stop?.()
    await service?.close()
    rmSync(folder, { recursive: true, force: true })
  })

  async function query(expression: string): Promise<Answer | undefined> {
    const url = `${prometheus_url}/api/v1/query?query=${encodeURIComponent(expression)}`
    const answer = await fetch(url).catch(() => undefined)
    // It has read its data only once it is ready; its answers are plain text until then.
    if (!answer || answer.status === 503) return undefined
    return (await answer.json()) as Answer
  }

  /** The values of an expression, once there are any; throws if it is not one. */
  const valuesOf = (what: string, expression: string) =>
    eventually(`${what}: ${expression}`, async () => {
      const answer = await query(expression)
      if (!answer) return
      assert.equal(answer.status, 'success', `${what}: ${answer.error}`)
      const { result } = answer.data
      return result.length > 0 && result.map(({ value: [, value] }) => Number(value))
    })

  test('finds no problem in the metrics', async () => {
    const input = await (await fetch(metrics_url)).text()
    execFileSync(promtool!, ['check', 'metrics'], { input })
  })

  test('finds series for the expression of each alert', async () => {
    for (const { name, expr } of alerts) {
      // With bool a comparison answers 0 or 1, where it would leave out what is below.
      await valuesOf(name, expr.replaceAll(/ (==|>) (?=[\d.]+(?:\)|$))/g, ' $1 bool '))
    }
  })

  test('finds series for each panel of the dashboard, in live mode', async () => {
    const { panels } = JSON.parse(readFileSync('deploy/grafana/purser.json', 'utf8'))
    for (const { title, targets } of panels as Panel[]) {
      for (const { expr } of targets) {
        const expression = expr.replaceAll('$mode', 'live').replaceAll('$__rate_interval', '1m')
        await valuesOf(title, expression)
      }
    }
  })

  test('evaluates the rules, and the alert of a difference in the ledger fires', async () => {
    await valuesOf('firing', 'ALERTS{alertname="PurserLedgerDifferences",alertstate="firing"}')
    const answer = await fetch(`${prometheus_url}/api/v1/rules`)
    const { data } = (await answer.json()) as {
      data: { groups: { rules: { name: string; health: string }[] }[] }
    }
    assert.deepEqual(
      data.groups.flatMap(({ rules }) => rules.map(({ name, health }) => `${name} ${health}`)),
      alerts.map(({ name }) => `${name} ok`),
    )
  })
})

/** A service with one of each: a purchase, a failed request, a lost call, limits without Valkey. */
async function openTroubledService(metrics_port: number): Promise<TestService> {
  const db = await openTestDatabase()
  let isBroken = false
  let isLost = false
  const service = await openTestService({
    db: {
      ...db,
      rows: (statement) => (isBroken ? Promise.reject(new Error('broken')) : db.rows(statement)),
    },
    processor: (sandbox) => withCallFate(sandbox, () => (isLost ? 'is lost' : 'arrives')),
    settings: {
      METRICS_PORT: String(metrics_port),
      VALKEY_URL: `redis://127.0.0.1:${await freePort()}`,
    },
  })
  await service.listen()
  await buy(service)
  await recordCheck(service.world.db, { at: service.clock.now(), differences: 1, is_whole: true })
  await assert.rejects(service.world.db.raw('select no_such_column'))
  isLost = true
  await assert.rejects(service.world.processor.find('att_unknown'))
  isLost = false
  isBroken = true
  assert.equal((await service.app.inject('/')).statusCode, 500)
  isBroken = false
  return service
}
