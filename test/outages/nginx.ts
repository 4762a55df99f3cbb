import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { which } from '../../scripts/chromium.ts'
import { until } from './cluster.ts'

const program = which('nginx') ?? which('/usr/sbin/nginx')

/** Why nothing can run behind nginx here; undefined if it is installed. */
export function lacksNginx(): string | undefined {
  return program ? undefined : 'no nginx (apt-get install nginx-light)'
}

/** nginx in front of two nodes, as `deploy/nginx.conf` configures it, without TLS. */
export interface Nginx {
  /** Sends requests to these ports from now on; open ones are finished where they are. */
  route(ports: Pair): void
  close(): Promise<void>
}

/** The ports of the two nodes that the recipe names. */
type Pair = readonly [number, number]

/** Starts nginx on a port in front of nodes on others. */
export async function openNginx(port: number, nodes: Pair): Promise<Nginx> {
  const folder = mkdtempSync(join(tmpdir(), 'purser-nginx-'))
  const file = join(folder, 'nginx.conf')
  writeFileSync(file, configuration(folder, port, nodes))
  const args = ['-c', file, '-p', folder, '-e', join(folder, 'error.log'), '-g', 'daemon off;']
  const nginx = spawn(program!, args, { stdio: 'ignore' })
  await until('nginx answers', () =>
    fetch(`http://localhost:${port}/healthz`).then(
      () => true,
      () => false,
    ),
  )
  return {
    route(ports) {
      writeFileSync(file, configuration(folder, port, ports))
      nginx.kill('SIGHUP')
    },
    async close() {
      if (nginx.kill('SIGTERM')) await once(nginx, 'exit')
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

const RECIPE = readFileSync(new URL('../../deploy/nginx.conf', import.meta.url), 'utf8')

function configuration(folder: string, port: number, [one, two]: Pair): string {
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
  const recipe = RECIPE.replaceAll('172.30.0.11:4000', `127.0.0.1:${one}`)
    .replaceAll('172.30.0.12:4000', `127.0.0.1:${two}`)
    .replace(/server \{\s+listen 80;[^}]+\}/, '')
    .replace(/listen 443 [^;]*;/, `listen 127.0.0.1:${port}; listen [::1]:${port};`)
    .replaceAll(/ssl_\w+ [^;]+;/g, '')
    // The port is part of the origin here, and each buyer has an address of their own.
    .replace('Host $host;', 'Host $http_host;')
    .replace('For $remote_addr;', 'For $http_x_forwarded_for;')
  return `pid ${folder}/nginx.pid;
worker_processes 1;
events { worker_connections 512; }
http {
  access_log off;
  # A reload closes idle connections of clients, which is nothing that is tested here.
  keepalive_timeout 0;
  ${temporary.map((name) => `${name}_temp_path ${folder}/${name};`).join('\n  ')}
  ${recipe}
}
`
}
