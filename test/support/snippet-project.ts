import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)

/**
 * The part of next-auth that the snippets use, which this project does not install: its options
 * for a provider of type `oidc` and the token callbacks, after the library's documentation.
 */
export const NEXT_AUTH = `
declare module 'next-auth' {
  interface OIDCConfig {
    id: string
    name: string
    type: 'oidc'
    issuer: string
    clientId: string | undefined
    clientSecret: string | undefined
    authorization: { params: { scope: string } }
    checks: ('pkce' | 'state' | 'nonce' | 'none')[]
  }
  type JWT = Record<string, unknown> & { sub?: string }
  interface Account { providerAccountId: string; access_token?: string }
  type Handler = (request: Request) => Promise<Response>
  export default function NextAuth(config: {
    providers: OIDCConfig[]
    callbacks: { jwt(facts: { token: JWT; account?: Account | null }): JWT }
  }): {
    handlers: { GET: Handler; POST: Handler }
    auth(): Promise<unknown>
    signIn(provider?: string): Promise<void>
    signOut(): Promise<void>
  }
}
declare module 'next-auth/jwt' {
  export function getToken(facts: {
    req: Request
    secret: string | undefined
    secureCookie?: boolean
  }): Promise<Record<string, unknown> | null>
}
`

/**
 * The part of React 19 that the snippets use, which this project does not install: an effect, and
 * elements whose attributes are known.
 */
export const REACT = `
declare module 'react' {
  export function useEffect(effect: () => void, dependencies: unknown[]): void
  export interface HTMLAttributes<Element> {
    id?: string
    className?: string
    children?: unknown
    ref?: (element: Element) => void
  }
  export namespace JSX {
    interface IntrinsicElements {
      a: HTMLAttributes<HTMLAnchorElement> & { href?: string }
    }
  }
}
declare module 'react/jsx-runtime' {
  export { JSX } from 'react'
  export const jsx: unknown
  export const jsxs: unknown
}
`

/** A folder with code snippets, and the packages of this project. */
export interface SnippetProject extends Disposable {
  /** Writes a file and returns its path. */
  write(name: string, code: string): string
  /** The compiler's errors over all files. */
  check(): Promise<string>
}

/** Opens an empty project. */
export function openSnippetProject(): SnippetProject {
  const folder = mkdtempSync(join(tmpdir(), 'purser-snippets-'))
  symlinkSync(resolve('node_modules'), join(folder, 'node_modules'))
  const write = (name: string, code: string) => {
    const path = join(folder, name)
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, `${code}\n`)
    return path
  }
  write('package.json', JSON.stringify({ type: 'module' }))
  write('next-auth.d.ts', NEXT_AUTH)
  const compilerOptions = {
    target: 'es2024',
    lib: ['es2024', 'dom'],
    module: 'esnext',
    moduleResolution: 'bundler',
    strict: true,
    noUncheckedIndexedAccess: true,
    noUnusedLocals: true,
    noEmit: true,
    skipLibCheck: true,
    types: ['node'],
  }
  const paths = { '@/*': ['./*'] }
  for (const name of ['license_keys', 'hosted_sign_in']) {
    const options = { ...compilerOptions, paths: { ...paths, '@/*': [`./${name}/*`] } }
    const include = [`${name}/**/*.ts`, 'next-auth.d.ts']
    write(`${name}.json`, JSON.stringify({ compilerOptions: options, include }))
  }
  return {
    write,
    async check() {
      const answers = ['license_keys', 'hosted_sign_in'].map((name) =>
        run(resolve('node_modules/.bin/tsc'), ['-p', join(folder, `${name}.json`)]).then(
          () => '',
          ({ stdout }: { stdout: string }) => stdout,
        ),
      )
      return (await Promise.all(answers)).join('')
    },
    [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }),
  }
}

/** Writes a snippet and imports it; it is TypeScript, which Node runs. */
export async function loadSnippet<Module>(code: string): Promise<Module & Disposable> {
  const project = openSnippetProject()
  const loaded = await import(project.write('license_keys/snippet.ts', code))
  return { ...loaded, [Symbol.dispose]: () => project[Symbol.dispose]() }
}

/** Serves a snippet's site on a free port. */
export async function listen(site: RequestListener): Promise<AsyncDisposable & { url: string }> {
  const server = createServer(site)
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((done) => server.close(done))
    },
  }
}
