// A shop of Medusa with one product, its own payment provider and shipping for nothing. Writes the
// ids that a buyer needs to shop.json.
import { execFileSync, spawn } from 'node:child_process'
import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs'

const CONFIG = `const { defineConfig } = require('@medusajs/framework/utils')
const secret = process.env.SECRET_KEY
const secrets = { jwtSecret: secret, cookieSecret: secret }
module.exports = defineConfig({
  admin: { disable: true },
  projectConfig: {
    databaseUrl: process.env.DATABASE_URL,
    databaseDriverOptions: { ssl: false },
    http: { storeCors: '*', adminCors: '*', authCors: '*', ...secrets },
  },
})
`
const medusa = ['node_modules/@medusajs/cli/cli.js']
const run = (...args) => execFileSync(process.execPath, [...medusa, ...args], { stdio: 'inherit' })

writeFileSync('medusa-config.js', CONFIG)
mkdirSync('src/scripts', { recursive: true })
copyFileSync(`${process.env.PEERS_FOLDER}/medusa-seed.cjs`, 'src/scripts/seed.js')
run('db:migrate', '--skip-links')
run('db:sync-links', '--execute-all')
run('exec', './src/scripts/seed.js')
const start = [...medusa, 'start', '--host', '127.0.0.1', '--port', process.env.PORT]
const server = spawn(process.execPath, start, { stdio: 'inherit' })
process.on('SIGTERM', () => server.kill('SIGTERM'))
server.on('exit', (code) => process.exit(code ?? 0))
