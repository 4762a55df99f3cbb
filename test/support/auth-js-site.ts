import assert from 'node:assert/strict'
import { openSnippetProject } from './snippet-project.ts'

type Handler = (request: Request) => Promise<Response>

/** The route handlers of a site that was made of snippets. */
export interface AuthJsSite extends Disposable {
  /**
   * Requests a path, or an address of another origin, as a browser that keeps cookies; a form is
   * sent with POST.
   */
  open(address: string, form?: Record<string, string>): Promise<Response>
}

/**
 * What next-auth adds to Auth.js, without Next.js, which its entry point imports: the two handlers
 * call Auth.js with the path, the secret and the trust in the host that next-auth presets.
 */
const NEXT_AUTH = {
  'package.json': JSON.stringify({
    type: 'module',
    exports: { '.': './index.js', './jwt': './jwt.js' },
  }),
  'index.js': `import { Auth } from '@auth/core'
export default function NextAuth(config) {
  const secret = process.env.AUTH_SECRET
  const answer = (request) =>
    Auth(request, { ...config, basePath: '/api/auth', trustHost: true, secret })
  return { handlers: { GET: answer, POST: answer } }
}`,
  // So does next-auth.
  'jwt.js': "export * from '@auth/core/jwt'",
}

/** Next.js resolves `@/` to the folder of the site. */
const AT_AUTH = {
  'package.json': JSON.stringify({ type: 'module', exports: './index.js' }),
  'index.js': "export * from '../../../auth.ts'",
}

const ROUTE = /^app(\/.*)\/route\.ts$/

/** Opens a site at this origin whose files are those of snippets, run as Next.js runs them. */
export async function openAuthJsSite(
  origin: string,
  files: { name: string; code: string }[],
): Promise<AuthJsSite> {
  const project = openSnippetProject()
  const write = (folder: string, written: Record<string, string>) => {
    for (const [name, code] of Object.entries(written)) {
      project.write(`hosted_sign_in/node_modules/${folder}/${name}`, code)
    }
  }
  write('next-auth', NEXT_AUTH)
  write('@/auth', AT_AUTH)
  const routes = new Map<string, Record<'GET' | 'POST', Handler>>()
  for (const { name, code } of files) {
    const place = project.write(`hosted_sign_in/${name}`, code)
    const [, path] = ROUTE.exec(name) ?? []
    if (path) routes.set(path.replace(/\[\.\.\..*\]$/, ''), await import(place))
  }
  const cookies = new Map<string, string>()
  return {
    async open(address, form) {
      const url = new URL(address, origin)
      const [, handlers] = [...routes].find(([start]) => url.pathname.startsWith(start)) ?? []
      assert.ok(handlers, `no route for ${address}`)
      const cookie = [...cookies].map((pair) => pair.join('=')).join('; ')
      const body = form && new URLSearchParams(form)
      const method = body ? 'POST' : 'GET'
      const request = new Request(url, {
        method,
        headers: { cookie },
        body: body ?? null,
      })
      const answer = await handlers[method](request)
      for (const line of answer.headers.getSetCookie()) {
        const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
        if (value === '') cookies.delete(name)
        else cookies.set(name, value)
      }
      return answer
    },
    [Symbol.dispose]: () => project[Symbol.dispose](),
  }
}
