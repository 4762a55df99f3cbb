// Sign-in with email and password by better-auth, as its documentation sets it up.
import { createServer } from 'node:http'
import { betterAuth } from 'better-auth'
import { getMigrations } from 'better-auth/db/migration'
import { toNodeHandler } from 'better-auth/node'
import pg from 'pg'

const { PORT, SECRET_KEY, DATABASE_URL, EMAIL, PASSWORD } = process.env
const options = {
  baseURL: `http://127.0.0.1:${PORT}`,
  secret: SECRET_KEY,
  database: new pg.Pool({ connectionString: DATABASE_URL, max: 10 }),
  emailAndPassword: { enabled: true },
  rateLimit: { enabled: false },
  telemetry: { enabled: false },
}
const { runMigrations } = await getMigrations(options)
await runMigrations()
const auth = betterAuth(options)
await auth.api.signUpEmail({ body: { name: 'A buyer', email: EMAIL, password: PASSWORD } })

const handle = toNodeHandler(auth)
createServer((request, response) => {
  if (request.url === '/') response.end('ready')
  else handle(request, response)
}).listen(Number(PORT), '127.0.0.1')
