import type { Random } from '#platform/random'

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const ID_LENGTH = 22

/** `length` characters of base62, each drawn without bias. */
export function base62(random: Random, length: number): string {
  let text = ''
  while (text.length < length) {
    for (const byte of random.bytes(length + 4)) {
      // Six bits of a byte; the two values beyond the alphabet are drawn again, to avoid bias.
      const index = byte & 63
      if (index < 62 && text.length < length) text += ALPHABET[index]
    }
  }
  return text
}

/** The base62 spelling of an unsigned number, padded to `length`. */
export function toBase62(value: number, length: number): string {
  let text = ''
  for (let rest = value; text.length < length; rest = Math.floor(rest / 62)) {
    text = ALPHABET[rest % 62] + text
  }
  return text
}

/** A new random id such as `lic_5hJ…`: the prefix and 22 base62 characters (131 bits). */
export function mintId(random: Random, prefix: string): string {
  return `${prefix}_${base62(random, ID_LENGTH)}`
}

/** Whether a text has the shape of an id with this prefix. */
export function isId(prefix: string, text: string): boolean {
  const body = text.startsWith(`${prefix}_`) ? text.slice(prefix.length + 1) : ''
  return body.length === ID_LENGTH && /^[0-9A-Za-z]+$/.test(body)
}
