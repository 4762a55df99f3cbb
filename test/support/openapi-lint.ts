import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

// Some paths of the specification end in a slash.
const RULES = `extends: [recommended]
rules:
  no-path-trailing-slash: off
  no-invalid-media-type-examples: error
  no-invalid-parameter-examples: error
  no-invalid-schema-examples: error
`

/** The linter's findings in an OpenAPI document, each with its rule and message. */
export function lint(what: object): string[] {
  const folder = mkdtempSync(join(tmpdir(), 'purser-openapi-'))
  try {
    writeFileSync(join(folder, 'openapi.json'), JSON.stringify(what))
    writeFileSync(join(folder, 'redocly.yaml'), RULES)
    const cli = fileURLToPath(
      new URL('../../node_modules/@redocly/cli/bin/cli.js', import.meta.url),
    )
    const { stdout, stderr } = spawnSync(
      process.execPath,
      [cli, 'lint', 'openapi.json', '--format=json'],
      {
        cwd: folder,
        encoding: 'utf8',
        env: {
          ...process.env,
          REDOCLY_TELEMETRY: 'off',
          REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true',
        },
      },
    )
    assert.ok(stdout.startsWith('{'), `the linter did not run: ${stderr}`)
    const { problems } = JSON.parse(stdout) as { problems: { ruleId: string; message: string }[] }
    return problems.map(({ ruleId, message }) => `${ruleId}: ${message}`)
  } finally {
    rmSync(folder, { recursive: true })
  }
}
