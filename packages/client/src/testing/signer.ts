/** Signatures of the double. */
import { random } from '../login.ts'
import { base64url } from '../signed.ts'

export type Signer = ReturnType<typeof createSigner>

/** Signs ID tokens with a key that is generated when it is first needed. */
export function createSigner() {
  const kid = random()
  let generated: Promise<CryptoKeyPair> | undefined
  const algorithm = {
    name: 'RSASSA-PKCS1-v1_5',
    hash: 'SHA-256',
    modulusLength: 2048,
    publicExponent: Uint8Array.of(1, 0, 1),
  }
  const pair = () => {
    generated ??= crypto.subtle.generateKey(algorithm, true, ['sign', 'verify'])
    return generated
  }
  const part = (value: object) => base64url(new TextEncoder().encode(JSON.stringify(value)))
  return {
    async publicKey(): Promise<object> {
      const jwk = await crypto.subtle.exportKey('jwk', (await pair()).publicKey)
      return { ...jwk, kid, use: 'sig', alg: 'RS256' }
    },
    async sign(claims: object, seconds: number, typ = 'JWT'): Promise<string> {
      // The client compares ID tokens with the clock of the machine.
      const iat = Math.floor(Date.now() / 1000)
      const head = part({ alg: 'RS256', typ, kid })
      const signed = `${head}.${part({ ...claims, iat, exp: iat + seconds })}`
      const { privateKey } = await pair()
      const bytes = new TextEncoder().encode(signed)
      const signature = await crypto.subtle.sign(algorithm.name, privateKey, bytes)
      return `${signed}.${base64url(new Uint8Array(signature))}`
    },
  }
}
