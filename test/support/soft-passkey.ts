import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto'

/** The page's options to create a passkey or sign with it. */
interface Options {
  challenge: string
  rp?: { id: string }
  rpId?: string
  user?: { id: string }
  allowCredentials?: { id: string }[]
  excludeCredentials?: { id: string }[]
}

/** How the device behaves in this call. */
interface Manner {
  origin: string
  /** Whether it verified its user with a finger, face or PIN. */
  verified?: boolean
}

const PRESENT = 0x01
const VERIFIED = 0x04
const ATTESTED = 0x40

/** A device with one passkey, in software; it responds as browsers do. */
export class SoftPasskey {
  readonly id = randomBytes(16).toString('base64url')
  counter = 0
  user_handle: string | undefined
  #key: KeyObject
  #public: { x: Buffer; y: Buffer }

  constructor() {
    const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
    this.#key = privateKey
    const { x = '', y = '' } = publicKey.export({ format: 'jwk' })
    this.#public = { x: Buffer.from(x, 'base64url'), y: Buffer.from(y, 'base64url') }
  }

  /** Creates the passkey: the result of `navigator.credentials.create`, as JSON. */
  create(options: Options, manner: Manner): string {
    this.user_handle = options.user?.id
    const id = Buffer.from(this.id, 'base64url')
    const length = Buffer.from([id.length >> 8, id.length & 255])
    const attested = Buffer.concat([Buffer.alloc(16), length, id, this.#coseKey()])
    const authData = this.#authData(options.rp?.id ?? '', manner, attested)
    const object = cborMap([
      [cborText('fmt'), cborText('none')],
      [cborText('attStmt'), cborMap([])],
      [cborText('authData'), cborBytes(authData)],
    ])
    return this.#answer({
      clientDataJSON: clientData('webauthn.create', options, manner).toString('base64url'),
      attestationObject: object.toString('base64url'),
      transports: ['internal'],
    })
  }

  /** Signs: the result of `navigator.credentials.get`, as JSON. */
  get(options: Options, manner: Manner): string {
    this.counter++
    const authData = this.#authData(options.rpId ?? '', manner)
    const client = clientData('webauthn.get', options, manner)
    const signed = Buffer.concat([authData, createHash('sha256').update(client).digest()])
    return this.#answer({
      clientDataJSON: client.toString('base64url'),
      authenticatorData: authData.toString('base64url'),
      signature: sign('sha256', signed, this.#key).toString('base64url'),
      userHandle: this.user_handle,
    })
  }

  #answer(response: object): string {
    const { id } = this
    return JSON.stringify({
      id,
      rawId: id,
      type: 'public-key',
      response,
      clientExtensionResults: {},
    })
  }

  #authData(rp_id: string, { verified = true }: Manner, attested = Buffer.alloc(0)): Buffer {
    const flags = PRESENT | (verified ? VERIFIED : 0) | (attested.length > 0 ? ATTESTED : 0)
    const counter = Buffer.alloc(4)
    counter.writeUInt32BE(this.counter)
    const rpIdHash = createHash('sha256').update(rp_id).digest()
    return Buffer.concat([rpIdHash, Buffer.from([flags]), counter, attested])
  }

  /** The public key in COSE form: elliptic curve, ES256, P-256. */
  #coseKey(): Buffer {
    return cborMap([
      [cborInteger(1), cborInteger(2)],
      [cborInteger(3), cborInteger(-7)],
      [cborInteger(-1), cborInteger(1)],
      [cborInteger(-2), cborBytes(this.#public.x)],
      [cborInteger(-3), cborBytes(this.#public.y)],
    ])
  }
}

function clientData(type: string, { challenge }: Options, { origin }: Manner): Buffer {
  return Buffer.from(JSON.stringify({ type, challenge, origin, crossOrigin: false }))
}

function cborHead(major: number, value: number): Buffer {
  if (value < 24) return Buffer.from([(major << 5) | value])
  if (value < 256) return Buffer.from([(major << 5) | 24, value])
  return Buffer.from([(major << 5) | 25, value >> 8, value & 255])
}

const cborInteger = (value: number) => (value < 0 ? cborHead(1, -1 - value) : cborHead(0, value))
const cborBytes = (bytes: Buffer) => Buffer.concat([cborHead(2, bytes.length), bytes])
const cborText = (text: string) => Buffer.concat([cborHead(3, text.length), Buffer.from(text)])
const cborMap = (pairs: [Buffer, Buffer][]) =>
  Buffer.concat([cborHead(5, pairs.length), ...pairs.flat()])
