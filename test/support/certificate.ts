import { execFileSync } from 'node:child_process'
import { join } from 'node:path'

/** Makes a self-signed certificate for these hosts, valid for a day, and returns its files. */
export function makeCertificate(
  folder: string,
  hosts: readonly string[],
): { key: string; certificate: string } {
  const [key, certificate] = [join(folder, 'key.pem'), join(folder, 'cert.pem')]
  const names = hosts.map((host) => `DNS:${host}`).join(',')
  const subject = ['-subj', `/CN=${hosts[0]}`, '-addext', `subjectAltName=${names}`]
  const made = ['-newkey', 'rsa:2048', '-keyout', key, '-out', certificate, '-days', '1', '-nodes']
  execFileSync('openssl', ['req', '-x509', ...made, ...subject], { stdio: 'ignore' })
  return { key, certificate }
}
